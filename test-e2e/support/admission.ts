// Asks a real API server about one object of our kinds, through @kubernetes/client-node: it is accepted, or refused
// with which message.

import {
  ApiException,
  CustomObjectsApi,
  type KubeConfig,
  PatchStrategy,
  setHeaderOptions,
} from '@kubernetes/client-node';
import { GROUP, VERSION } from '@marekvs/api';

export type PlainObject = Readonly<Record<string, unknown>>;

/** `fields` are the paths the refusal names, `text` is its whole message. */
export type Verdict =
  | { readonly kind: 'accepted'; readonly stored: PlainObject }
  | { readonly kind: 'refused'; readonly code: number; readonly fields: readonly string[]; readonly text: string };

export interface Admission {
  /** Creates the object, and after an acceptance removes it again. `old` is created before, and then changed into
   *  `object`. */
  judge(object: PlainObject, old?: PlainObject, validation?: 'Strict' | 'Ignore'): Promise<Verdict>;
}

const MERGE_PATCH = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
const PLURALS: Readonly<Record<string, string>> = { MarekvsCluster: 'marekvsclusters', MarekvsNode: 'marekvsnodes' };

/** Judges in one namespace, one object at a time. */
export function createAdmission(config: KubeConfig, namespace: string): Admission {
  const custom = config.makeApiClient(CustomObjectsApi);
  type Where = {
    readonly group: string;
    readonly version: string;
    readonly plural: string;
    readonly namespace: string;
  };

  /** A cluster that was accepted with its protection on can only be deleted once that is off. */
  async function remove(where: Where, name: string): Promise<void> {
    if (where.plural === PLURALS.MarekvsCluster) {
      const body = { spec: { deletionProtection: false } };
      await custom.patchNamespacedCustomObject({ ...where, name, body }, MERGE_PATCH);
    }
    await custom.deleteNamespacedCustomObject({ ...where, name });
  }

  return {
    async judge(object, old, validation = 'Strict') {
      const kind = String(object.kind);
      const plural = PLURALS[kind];
      if (plural === undefined) throw new Error(`no resource of kind ${kind}`);
      const where = { group: GROUP, version: VERSION, plural, namespace };
      const create = async (body: PlainObject): Promise<PlainObject> =>
        custom.createNamespacedCustomObject({ ...where, body, fieldValidation: validation });
      const name = nameOf(object);
      const before = old === undefined ? undefined : await create(old);
      let isThere = before !== undefined;
      try {
        if (before === undefined) {
          const stored = await create(object);
          isThere = true;
          return { kind: 'accepted', stored };
        }
        const body = {
          ...object,
          metadata: { ...metadataOf(object), resourceVersion: metadataOf(before).resourceVersion },
        };
        const stored: PlainObject = await custom.replaceNamespacedCustomObject({
          ...where,
          name,
          body,
          fieldValidation: validation,
        });
        return { kind: 'accepted', stored };
      } catch (error) {
        return refusal(error);
      } finally {
        if (isThere) await remove(where, name);
      }
    },
  };
}

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string }[] };
}

/** @throws whatever is not an answer of the API server that blames the object */
function refusal(error: unknown): Verdict {
  if (!(error instanceof ApiException) || (error.code !== 422 && error.code !== 400)) throw error;
  const status: Status = JSON.parse(String(error.body));
  const text = status.message ?? '';
  const fields = (status.details?.causes ?? []).flatMap(({ field }) => (field === undefined ? [] : [field]));
  // Strict field validation gives no causes, only the quoted fields in its message.
  const unknown = Array.from(text.matchAll(/unknown field "([^"]+)"/g), (match) => match[1] ?? '');
  return { kind: 'refused', code: error.code, fields: [...fields, ...unknown], text };
}

function metadataOf(object: PlainObject): PlainObject {
  return (object.metadata ?? {}) as PlainObject;
}

function nameOf(object: PlainObject): string {
  return String(metadataOf(object).name);
}
