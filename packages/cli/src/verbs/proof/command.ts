// `kubectl mkv proof <node>`: the evidence a node was removed on, or what is missing right now, per member.

import { findCondition, type MarekvsCluster, type MarekvsNode, parseNodeId } from '@marekvs/api';
import { MAREKVS_NODE } from '@marekvs/operator/projections';
import type { Command } from 'commander';
import {
  checkedName,
  listClusters,
  namesOf,
  readCluster,
  readNodes,
  requiredNamespace,
} from '../../cluster/cluster-parts.ts';
import { nextAfter } from '../../cluster/near-name.ts';
import { type Cli, type Run, withSharedOptions } from '../../connection/cli.ts';
import { EXIT, type ExitCode, isObjectMissing, notFound } from '../../connection/errors.ts';
import { table } from '../../screen/table.ts';
import { type RenderContext, sentence, since } from '../../screen/text.ts';
import { proofLines } from './screen.ts';

export function addProof(program: Command, cli: Cli): void {
  withSharedOptions(program.command('proof'))
    .summary('the evidence of a removal, or what is missing')
    .description(
      'the evidence on which a node was removed, or what is still missing; exits 4 while something is missing',
    )
    .argument('<node>', 'name of the MarekvsNode, such as demo-3; it may already be gone')
    .action(cli.action<[string], object>((run, [name]) => showProof(run, checkedName(name, 'node'))));
}

async function showProof(run: Run, name: string): Promise<ExitCode> {
  const node = await findNode(run, name);
  const cluster = node === undefined ? await clusterOfGone(run, name) : await readCluster(run, node.spec.clusterName);
  const { operation, lastOperation } = cluster.status ?? {};
  const isTarget = operation?.target?.name === name;
  const past = !isTarget && lastOperation?.target?.name === name ? lastOperation : undefined;
  const proofs = (isTarget ? operation : past)?.proof;
  if (node === undefined && past === undefined && !isTarget)
    throw notFound(
      `there is no MarekvsNode ${name}, and the last removal of ${cluster.metadata.name} was another one`,
      `kubectl events -n ${cluster.metadata.namespace} --for mkv/${cluster.metadata.name}`,
    );
  const isWaiting = isTarget && proofs?.pre === undefined;
  if (run.isDocument) {
    await run.printDocument({
      node: name,
      operation: isTarget ? operation : past,
      removalProof: node?.status?.removalProof,
    });
    return isWaiting ? EXIT.blocked : EXIT.fine;
  }
  const context = run.context();
  run.print([
    ...headLines(cluster, node, name, context),
    ...(proofs?.pre === undefined ? [] : proofLines('before the removal', proofs.pre, context)),
    ...(proofs?.post === undefined ? [] : proofLines('among the survivors', proofs.post, context)),
    ...(past === undefined ? memberLines(await readNodes(run, cluster), name, context) : []),
  ]);
  return isWaiting ? EXIT.blocked : EXIT.fine;
}

function headLines(
  cluster: MarekvsCluster,
  node: MarekvsNode | undefined,
  name: string,
  context: RenderContext,
): readonly string[] {
  const { operation, lastOperation } = cluster.status ?? {};
  const title = context.paint('bold', name);
  if (operation?.target?.name === name) {
    const { blocked, phase, id, basis } = operation;
    return [
      `${title}: removal under way (operation ${id}, basis ${basis ?? 'Proof'}), phase ${phase}`,
      ...(blocked === undefined
        ? []
        : sentence(
            `missing for ${since(blocked.since, context.nowMs)}: ${blocked.reason}, ${blocked.message}${blocked.unblock === undefined ? '' : `. Unblocked by: ${blocked.unblock}`}`,
            context,
          )),
    ];
  }
  if (lastOperation?.target?.name === name) {
    const { id, outcome, reason, finishedAt, basis, message } = lastOperation;
    return [
      `${title}: ${lastOperation.type} ${outcome} ${since(finishedAt, context.nowMs)} ago (operation ${id}, basis ${basis ?? 'Proof'}, ${reason})`,
      ...(message === undefined ? [] : sentence(message, context)),
    ];
  }
  const safe = findCondition(node?.status?.conditions, 'SafeToRemove');
  return [
    `${title}: nobody removes it, so nothing is proven about it`,
    ...sentence(`SafeToRemove is ${safe?.status ?? 'Unknown'}: ${safe?.message ?? 'not asked yet'}`, context),
    ...contentsText(cluster, context),
    ...sentence(
      `what would be checked first: kubectl mkv plan ${cluster.metadata.name} -n ${cluster.metadata.namespace}`,
      context,
    ),
  ];
}

/** The result of the last comparison of all members. */
function contentsText({ status }: MarekvsCluster, context: RenderContext): readonly string[] {
  if (status?.verification === undefined) return [];
  const { state, at, message } = status.verification;
  return sentence(
    `contents: ${state} for ${since(at, context.nowMs)}${message === undefined ? '' : `, ${message}`}`,
    context,
  );
}

/** The members whose answers a proof needs, and what the node controller knows of each. */
function memberLines(nodes: readonly MarekvsNode[], target: string, context: RenderContext): readonly string[] {
  const ready = (node: MarekvsNode) => findCondition(node.status?.conditions, 'Ready');
  return [
    '',
    ...table(
      [
        { head: 'MEMBER', cell: ({ metadata }) => (metadata.name === target ? `${metadata.name} *` : metadata.name) },
        { head: 'PHASE', cell: ({ status }) => status?.phase ?? 'Pending' },
        { head: 'SEENBY', cell: ({ status }) => status?.seenBy ?? '-' },
        { head: 'READY', cell: (node) => ready(node)?.status ?? 'Unknown' },
        {
          head: 'WHY',
          cell: (node) => (ready(node)?.status === 'True' ? '' : (ready(node)?.message ?? 'not observed')),
          least: 10,
        },
      ],
      nodes,
      context,
    ),
  ];
}

async function findNode(run: Run, name: string): Promise<MarekvsNode | undefined> {
  try {
    return await run.get(MAREKVS_NODE, { namespace: await requiredNamespace(run), name });
  } catch (error) {
    if (isObjectMissing(error, name)) return undefined;
    throw error;
  }
}

/** The cluster a name like demo-3 belongs to, when the node itself is gone. */
async function clusterOfGone(run: Run, name: string): Promise<MarekvsCluster> {
  const namespace = await requiredNamespace(run);
  const items = await listClusters(run);
  const cluster = items.find(({ metadata }) => parseNodeId(metadata.name, name) !== undefined);
  if (cluster !== undefined) return cluster;
  throw notFound(
    `there is no MarekvsNode ${name} in namespace ${namespace}, nor a cluster it could have been of`,
    await nextAfter(name, () => namesOf(run, MAREKVS_NODE, namespace), 'kubectl mkv status -A'),
  );
}
