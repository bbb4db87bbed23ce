// What a Pod is made of, except for scheduling: image, settings, labels. Used by the cluster spec and, stamped, by the
// node template.

import { z } from 'zod';
import { OWNED_LABELS } from '../names/labels.ts';
import { ENUM_VALUES, ENV_NAME_PATTERN, LABEL_VALUE_PATTERN, MAX, OWNED_ENV } from '../rules/limits.ts';
import { envMessages, podMetadataMessages } from '../rules/messages.ts';
import { type CelRule, describe, optional, text, textMap } from './field.ts';

const ownedEnv = celList(OWNED_ENV);
const ownedLabels = celList(OWNED_LABELS);

export const imageFields = {
  image: describe(text(MAX.image, 1), 'Server image, such as ghcr.io/yannick/marekvs:latest. Required.'),
  imagePullPolicy: optional(
    z.enum(ENUM_VALUES.imagePullPolicy),
    'When the image is pulled. Default: Always for the tag latest, otherwise IfNotPresent.',
  ),
  imagePullSecrets: optional(
    z
      .array(z.object({ name: describe(text(MAX.name, 1), 'Name of a Secret in the namespace of the cluster.') }))
      .max(MAX.listEntries)
      .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] }),
    'Secrets used to pull the image. Default none.',
  ),
};

/** Further environment variables at `path`.
 *  @param more rules for this path alone */
export function environment(path: string, more: readonly CelRule[] = []) {
  const { owned, name } = envMessages(path);
  return describe(
    textMap(MAX.envEntries, MAX.envValue),
    'Additional environment variables of the server, such as RUST_LOG. Names that the operator owns are refused. Default none.',
    {
      rules: [
        { rule: `self.all(name, !(name in ${ownedEnv}))`, message: owned },
        {
          rule:
            `self.all(name, size(name) <= ${MAX.envName} && name.matches('${ENV_NAME_PATTERN}') && ` +
            "name != '.' && !name.startsWith('..'))",
          message: name,
        },
        ...more,
      ],
    },
  );
}

/** Labels and annotations for the Pods at `path`. */
export function podMetadata(path: string) {
  const { owned, value, annotations } = podMetadataMessages(path);
  const labelRules = [
    { rule: `self.all(key, !key.startsWith('marekvs.io/') && !(key in ${ownedLabels}))`, message: owned },
    { rule: `self.all(key, self[key].matches('${LABEL_VALUE_PATTERN}'))`, message: value },
  ];
  const annotationRules = [{ rule: `self.all(key, !key.startsWith('marekvs.io/'))`, message: annotations }];
  return describe(
    z.object({
      labels: optional(textMap(MAX.mapEntries, MAX.labelValue), 'Labels added to the Pods. Default none.', {
        rules: labelRules,
      }),
      annotations: optional(
        textMap(MAX.mapEntries, MAX.annotationValue),
        'Annotations added to the Pods. Default none.',
        { rules: annotationRules },
      ),
    }),
    'Labels and annotations added to every Pod. Keys that the operator owns are refused.',
  );
}

export const secretRef = describe(
  z.object({
    name: describe(text(MAX.name, 1), 'Name of a Secret in the namespace of the cluster.'),
    key: describe(text(MAX.name, 1), 'Key in the Secret that holds the password.'),
  }),
  'Secret and key with the password that clients must give (MAREKVS_REQUIREPASS).',
);

function celList(texts: readonly string[]): string {
  return `[${texts.map((text) => `'${text}'`).join(', ')}]`;
}
