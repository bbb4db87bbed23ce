// Which members there are according to the members: all that run agree, or it is unknown for a reason.

import { expect } from 'chai';
import { describe, it } from 'mocha';
import { agreeOnMembership, groupByView, viewKey } from '../src/index.ts';
import {
  freshNode,
  joining,
  line,
  node,
  nodes,
  notAsked,
  pod,
  sealedNode,
  serving,
  silent,
  views,
  withNode,
} from './support/builders.ts';

describe('agreement on the membership', () => {
  it('is the common list when all three members show the same', () => {
    expect(agreeOnMembership(nodes(3))).to.deep.equal({ kind: 'agreed', lines: views(3) });
  });

  it('does not depend on the order of the lines in a list', () => {
    const list = withNode(nodes(3), 1, { answer: serving([...views(3)].reverse()) });
    expect(agreeOnMembership(list).kind).to.equal('agreed');
  });

  it('does not exist while no Pod is ready and no member serves', () => {
    expect(agreeOnMembership([freshNode(0), freshNode(1)])).to.deep.equal({ kind: 'none' });
    expect(agreeOnMembership([])).to.deep.equal({ kind: 'none' });
  });

  it('is unknown, MemberSilent, naming the one member of three that is silent (F46)', () => {
    expect(agreeOnMembership(withNode(nodes(3), 1, { answer: silent }))).to.deep.equal({
      kind: 'unknown',
      reason: 'MemberSilent',
      message: 'demo-1 of 3 members did not answer: timed out',
    });
  });

  it('is unknown, MemberSilent, when every member is silent', () => {
    const list = nodes(3).map((entry) => ({ ...entry, answer: silent }));
    expect(agreeOnMembership(list)).to.include({ kind: 'unknown', reason: 'MemberSilent' });
  });

  it('is unknown, NotObserved, while a ready member was not asked yet', () => {
    expect(agreeOnMembership(withNode(nodes(3), 2, { answer: notAsked }))).to.deep.equal({
      kind: 'unknown',
      reason: 'NotObserved',
      message: 'demo-2 not asked yet',
    });
  });

  it('is MemberSilent, not NotObserved, when one is silent and another was not asked', () => {
    const list = withNode(withNode(nodes(3), 1, { answer: silent }), 2, { answer: notAsked });
    expect(agreeOnMembership(list)).to.deep.include({
      reason: 'MemberSilent',
      message: 'demo-1, demo-2 of 3 members did not answer: timed out',
    });
  });

  it('does not need a member that is still joining, whose Pod is not ready', () => {
    const list = [...nodes(3), node(3, { pod: pod(3, { isReady: false }), answer: joining })];
    expect(agreeOnMembership(list).kind).to.equal('agreed');
  });

  it('does not ask a member whose door is closed: the others speak for it, and cannot be silent themselves', () => {
    const list = [...nodes(3), sealedNode(3)];
    for (const own of [list, withNode(list, 3, { answer: silent }), withNode(list, 3, { answer: notAsked })])
      expect(agreeOnMembership(own)).to.deep.equal({ kind: 'agreed', lines: views(3) });
    expect(agreeOnMembership(withNode(list, 1, { answer: silent }))).to.include({ reason: 'MemberSilent' });
    expect(agreeOnMembership([sealedNode(0)]), 'nobody speaks').to.deep.equal({ kind: 'none' });
  });

  it('does not need a silent member whose Pod is not ready or is terminating', () => {
    for (const change of [{ isReady: false }, { isTerminating: true }]) {
      const list = withNode(nodes(3), 1, { pod: pod(1, change), answer: silent });
      expect(agreeOnMembership(list).kind, JSON.stringify(change)).to.equal('agreed');
    }
  });

  it('does not need a ready Pod that belongs to another owner (F56)', () => {
    const list = withNode(nodes(3), 1, { pod: pod(1, { ownerUid: undefined }), answer: notAsked });
    expect(agreeOnMembership(list).kind).to.equal('agreed');
  });

  const different = [
    { name: 'a member less', view: views(2) },
    { name: 'a member more', view: views(4) },
    {
      name: 'another generation of one member',
      view: views(3).map((l) => (l.id === 1 ? line(1, { generation: 9 }) : l)),
    },
    {
      name: 'one member without primaries',
      view: views(3).map((l) => (l.id === 1 ? line(1, { hasPrimaries: false }) : l)),
    },
    { name: 'nobody', view: [] },
  ];
  for (const { name, view } of different) {
    it(`is unknown, ViewsDisagree, when one of three shows ${name} (F46)`, () => {
      const membership = agreeOnMembership(withNode(nodes(3), 2, { answer: serving(view) }));
      expect(membership).to.deep.include({ kind: 'unknown', reason: 'ViewsDisagree' });
      expect(membership).to.have.property('message').that.contains('demo-2');
    });
  }

  it('names each member and what it shows when it is unknown for ViewsDisagree', () => {
    const membership = agreeOnMembership(withNode(nodes(3), 2, { answer: serving([line(2)]) }));
    expect(membership).to.include({
      message: 'members show different lists: demo-0, demo-1 show 0,1,2; demo-2 show 2',
    });
  });
});

describe('groups of views', () => {
  it('are ordered with the largest group first, whatever the ids', () => {
    const list = withNode(nodes(3), 0, { answer: serving([line(0)]) });
    expect(groupByView(list).map((group) => group.map((entry) => entry.id))).to.deep.equal([[1, 2], [0]]);
  });

  it('are ordered with the group of the lowest id first when they are equally large', () => {
    const list = [node(9, { answer: serving([line(9)]) }), node(10, { answer: serving([line(10)]) })];
    expect(groupByView([...list].reverse())[0]?.[0]?.id).to.equal(9);
  });

  it('have lines ordered by number, 9 before 10', () => {
    expect(viewKey([line(10, { generation: 1 }), line(9, { generation: 2 })])).to.equal('9@2+ 10@1+');
  });
});
