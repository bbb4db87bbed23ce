// The reasons for something not being known. Unknown never counts as good: nothing is removed or resized because of it.

import { normal, warning } from './reason-row.ts';

export const UNKNOWN = {
  NotObserved: normal(
    'This has not been observed yet.',
    'Wait for the first pass; if it persists, look at the operator.',
    { isOnTheWay: true, isSilence: true },
  ),
  MemberSilent: warning(
    'A member did not answer within the time limit.',
    'Look at the Pod named in the message: its log, its host and the NetworkPolicy towards port 9121.',
    { cause: 'member', isSilence: true },
  ),
  MemberAnswerInvalid: warning(
    'A member gave an answer that is not a marekvs answer.',
    'Check that the image is a marekvs server and that nothing else answers on its ports.',
    { cause: 'member' },
  ),
  ViewsDisagree: warning(
    'Members do not agree on who belongs to the cluster.',
    'Wait for gossip to settle; if it persists, check the network between the members named.',
    { cause: 'member' },
  ),
  NotCompared: normal(
    'The members’ contents have not been compared since the members last changed.',
    'Wait; it happens by itself after every change. kubectl mkv verify asks for it now.',
    { kind: 'note' },
  ),
  ComparingContents: normal(
    'The members’ contents are being compared record by record.',
    'Wait; it takes seconds, longer while the members are busy. The message has the figures.',
    { progressOf: 'proof' },
  ),
} as const;
