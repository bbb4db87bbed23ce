// A dashboard by Grafana's own schema: its published types, joined like in its importer, for JSON. It has only the
// kinds of panels that ours has. Only grafana-problems.ts compiles it, because its modules resolve as in a bundler.

import type { Dashboard, DataQuery, Panel, RowPanel } from '@grafana/schema';
import type { Options as StatOptions } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';
import type {
  FieldConfig as TableFields,
  Options as TableOptions,
} from '@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen';
import type {
  FieldConfig as SeriesFields,
  Options as SeriesOptions,
} from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';

/** As JSON has it: an enum is one of its texts. `unknown` stays. */
type Json<T> = unknown extends T
  ? unknown
  : T extends string
    ? `${T}`
    : T extends readonly (infer Item)[]
      ? readonly Json<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Json<T[Key]> }
        : T;

/** Grafana fills in missing options of a panel. */
type Given<T> = T extends readonly unknown[] ? T : T extends object ? { [Key in keyof T]?: Given<T[Key]> } : T;

/** For the data source Prometheus, which publishes no types. */
interface PrometheusQuery extends Pick<DataQuery, 'refId' | 'datasource' | 'hide'> {
  expr: string;
  legendFormat?: string;
  instant?: boolean;
  range?: boolean;
  format?: 'table' | 'time_series' | 'heatmap';
}

interface Drawn<Type extends string, Options, Custom>
  extends Omit<Panel, 'type' | 'options' | 'fieldConfig' | 'targets'> {
  type: Type;
  options?: Given<Options>;
  fieldConfig?: Omit<NonNullable<Panel['fieldConfig']>, 'defaults'> & {
    defaults: Omit<NonNullable<Panel['fieldConfig']>['defaults'], 'custom'> & { custom?: Given<Custom> };
  };
  targets?: PrometheusQuery[];
}

type Drawing =
  | Drawn<'stat', StatOptions, never>
  | Drawn<'timeseries', SeriesOptions, SeriesFields>
  | Drawn<'table', TableOptions, TableFields>;

export type GrafanaDashboard = Json<
  Omit<Dashboard, 'panels'> & { panels: (Drawing | (Omit<RowPanel, 'panels'> & { panels: Drawing[] }))[] }
>;
