// The two protocols on the mesh port: lines of JSON between simulated members, binary frames with an observer. The
// first byte from the dialling side tells which one it is.

import { StringDecoder } from 'node:string_decoder';
import { observerNode } from '../member/basics/constants.ts';
import type { ContentQuestion, MeshMessage } from '../member/basics/messages.ts';
import {
  createObserverDecoder,
  encodeAnswer,
  encodePing,
  encodePong,
  encodeResumeFrom,
  type ObserverFrame,
} from './observer-frames.ts';

/** One end of one connection. */
export interface Speech {
  /** Throws on input after which the connection cannot go on. */
  receive(bytes: Buffer): readonly MeshMessage[];
  /** Empty when this protocol has no such message. */
  encode(message: MeshMessage): string;
  readonly encoding: 'utf8' | 'latin1';
}

const maxTogether = 64;
const maxFrameChars = 32 * 1024 * 1024;
const openingBrace = 0x7b;

export function speechOf(firstByte: number): Speech {
  return firstByte === openingBrace ? peerSpeech() : observerSpeech();
}

/** The length of the first frame: the accepting side sends a Hello in binary before it knows the protocol, and a peer
 *  that dialled skips it. */
export function helloLength(bytes: Buffer): number | undefined {
  return bytes.length < 4 ? undefined : 4 + bytes.readUInt32LE(0);
}

export function peerSpeech(): Speech {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  return {
    encoding: 'utf8',
    encode: (message) => `${JSON.stringify(message)}\n`,
    receive(bytes) {
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > maxFrameChars) throw new RangeError(`line of ${rest.length} characters`);
      return lines.map(parseLine);
    },
  };
}

function observerSpeech(): Speech {
  const decode = createObserverDecoder();
  return {
    encoding: 'latin1',
    encode(message) {
      if (message.kind === 'answered') return message.answers.map(encodeAnswer).join('');
      if (message.kind === 'resume-from') return encodeResumeFrom();
      if (message.kind === 'pong') return encodePong(message.nonce);
      return message.kind === 'ping' ? encodePing() : '';
    },
    receive: (bytes) => messagesOf(decode(bytes)),
  };
}

/** Questions that arrive together stay together: the member handles them as one job. */
function messagesOf(frames: readonly ObserverFrame[]): readonly MeshMessage[] {
  const messages: MeshMessage[] = [];
  let questions: ContentQuestion[] | undefined;
  for (const frame of frames) {
    if (frame.kind !== 'question') {
      questions = undefined;
      messages.push(messageOf(frame));
    } else if (questions === undefined || questions.length === maxTogether) {
      questions = [frame.question];
      messages.push({ kind: 'asked', questions });
    } else {
      questions.push(frame.question);
    }
  }
  return messages;
}

function messageOf(frame: Exclude<ObserverFrame, { kind: 'question' }>): MeshMessage {
  if (frame.kind === 'ping') return frame;
  // Any other frame counts as a sign of life.
  if (frame.kind !== 'hello' || (frame.isBulk && frame.id !== observerNode)) return { kind: 'ping' };
  return { kind: 'hello', id: frame.id, isBulk: frame.isBulk };
}

/** Peers are simulators of this version; only the outer shape is checked. */
function parseLine(line: string): MeshMessage {
  const frame: unknown = JSON.parse(line);
  if (!isMessage(frame)) throw new RangeError('no message');
  return frame;
}

function isMessage(value: unknown): value is MeshMessage {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
}
