export type Unit = 'short' | 'reqps' | 's' | 'percentunit' | 'currencyUSD' | 'bytes' | 'none'

export interface Panel {
  readonly title: string
  readonly kind: 'timeseries' | 'stat'
  readonly unit: Unit
  readonly queries: readonly { readonly query: string; readonly legend: string }[]
  /** The reading of it, where the title does not say it. */
  readonly description?: string
}

export interface PanelRow {
  readonly title: string
  readonly panels: readonly Panel[]
}

const quantile = (share: number, metric: string) =>
  `histogram_quantile(${share}, sum by (le) (rate(${metric}_bucket[$__rate_interval])))`

const one = (query: string, legend: string) => [{ query, legend }]

/** Panels in the order in which an operator who is woken at night looks. */
export const panelRows: readonly PanelRow[] = [
  {
    title: 'Callers',
    panels: [
      {
        title: 'Requests',
        kind: 'timeseries',
        unit: 'reqps',
        queries: one('sum by (status) (rate(headgate_requests_total[$__rate_interval]))', '{{status}}'),
      },
      {
        title: 'Failed requests',
        description: 'The share of answers with status 500 and above, by the public name of the model.',
        kind: 'timeseries',
        unit: 'percentunit',
        queries: one(
          'sum by (model) (rate(headgate_requests_total{status=~"5.."}[$__rate_interval])) / sum by (model) (rate(headgate_requests_total[$__rate_interval]))',
          '{{model}}',
        ),
      },
      {
        title: 'First content',
        kind: 'timeseries',
        unit: 's',
        queries: [0.5, 0.95, 0.99].map((share) => ({
          query: quantile(share, 'headgate_first_content_seconds'),
          legend: `${share * 100} %`,
        })),
      },
      {
        title: 'Whole answer',
        kind: 'timeseries',
        unit: 's',
        queries: [0.5, 0.95, 0.99].map((share) => ({
          query: quantile(share, 'headgate_request_duration_seconds'),
          legend: `${share * 100} %`,
        })),
      },
      {
        title: 'Errors by code',
        kind: 'timeseries',
        unit: 'reqps',
        queries: one(
          'sum by (error) (rate(headgate_requests_total{error!=""}[$__rate_interval]))',
          '{{error}}',
        ),
      },
    ],
  },
  {
    title: 'Nodes',
    panels: [
      {
        title: 'Requests in progress',
        description: 'Streams included; by this number the chart scales.',
        kind: 'timeseries',
        unit: 'short',
        queries: one('sum by (instance) (headgate_active_requests)', '{{instance}}'),
      },
      {
        title: 'Processor',
        description: 'Cores of a node. One core is all that the main thread has.',
        kind: 'timeseries',
        unit: 'short',
        queries: one(
          'sum by (instance) (rate(process_cpu_seconds_total{job="headgate"}[$__rate_interval]))',
          '{{instance}}',
        ),
      },
      {
        title: 'Event loop, 99 %',
        kind: 'timeseries',
        unit: 's',
        queries: one('max by (instance) (nodejs_eventloop_lag_p99_seconds{job="headgate"})', '{{instance}}'),
      },
      {
        title: 'Memory',
        kind: 'timeseries',
        unit: 'bytes',
        queries: one('max by (instance) (process_resident_memory_bytes{job="headgate"})', '{{instance}}'),
      },
      {
        title: 'Versions',
        kind: 'stat',
        unit: 'none',
        queries: one('count by (version) (headgate_build_info)', '{{version}}'),
      },
      {
        title: 'Ledger, request log and price file',
        description: '1 while it can be written, or the price file read, on the node for which it is worst.',
        kind: 'stat',
        unit: 'none',
        queries: [
          { query: 'min(headgate_ledger_up)', legend: 'ledger' },
          { query: 'min(headgate_request_log_up)', legend: 'request log' },
          { query: 'min(headgate_price_file_up)', legend: 'price file' },
        ],
      },
    ],
  },
  {
    title: 'Channels',
    panels: [
      {
        title: 'Health',
        description: '1 in rotation, 0 out of it, on the node for which it is best.',
        kind: 'timeseries',
        unit: 'none',
        queries: one('max by (channel) (headgate_health_state{scope="channel"})', '{{channel}}'),
      },
      {
        title: 'Calls by outcome',
        kind: 'timeseries',
        unit: 'reqps',
        queries: one(
          'sum by (channel, outcome) (rate(headgate_attempts_total[$__rate_interval]))',
          '{{channel}} {{outcome}}',
        ),
      },
      {
        title: 'Calls in progress',
        kind: 'timeseries',
        unit: 'short',
        queries: one('sum by (channel) (headgate_channel_calls)', '{{channel}}'),
      },
      {
        title: 'Queue',
        kind: 'timeseries',
        unit: 'short',
        queries: one('sum(headgate_waiting_requests)', 'waiting'),
      },
    ],
  },
  {
    title: 'Money',
    panels: [
      {
        title: 'Cost by model, an hour',
        kind: 'timeseries',
        unit: 'currencyUSD',
        queries: one('sum by (model) (increase(headgate_cost_usd_total[1h]))', '{{model}}'),
      },
      {
        title: 'Charged by key, an hour',
        kind: 'timeseries',
        unit: 'currencyUSD',
        queries: one('topk(10, sum by (key) (increase(headgate_charged_usd_total[1h])))', '{{key}}'),
      },
      {
        title: 'Taken back by corrections, an hour',
        kind: 'timeseries',
        unit: 'currencyUSD',
        queries: [
          { query: 'sum(increase(headgate_cost_reversed_usd_total[1h]))', legend: 'cost' },
          { query: 'sum(increase(headgate_charged_reversed_usd_total[1h]))', legend: 'charged' },
        ],
      },
      {
        title: 'Tokens',
        kind: 'timeseries',
        unit: 'short',
        queries: one('sum by (class) (rate(headgate_tokens_total[$__rate_interval]))', '{{class}}'),
      },
      {
        title: 'Open alerts',
        kind: 'stat',
        unit: 'none',
        queries: one('max by (kind, severity) (headgate_alerts_open)', '{{severity}} {{kind}}'),
      },
    ],
  },
]
