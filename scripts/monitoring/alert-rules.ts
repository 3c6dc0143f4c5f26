/** A rule of Prometheus that opens an alert. */
export interface AlertRule {
  readonly alert: string
  readonly severity: 'critical' | 'warning' | 'info'
  /** The time for which the query must hold, such as `5m`. */
  readonly for: string
  readonly query: string
  /** A sentence of what happened, with Prometheus's templates. */
  readonly summary: string
  /** A sentence of what an operator does. */
  readonly action: string
}

/**
 * Rules that an installation of several nodes needs beside the gateway's own alerts (docs/monitoring.md), which know the
 * channels better but are sent by a process that may be the one that fails.
 */
export const alertRules: readonly AlertRule[] = [
  {
    alert: 'HeadgateDown',
    severity: 'critical',
    for: '2m',
    query: 'up{job="headgate"} == 0',
    summary: 'Node {{ $labels.instance }} gives no metrics.',
    action:
      'Look at its log and whether it restarts; a 421 or 403 in it means the scrape asks by a wrong name or token.',
  },
  {
    alert: 'HeadgateErrors',
    severity: 'critical',
    for: '5m',
    query:
      'sum by (model) (rate(headgate_requests_total{status=~"5.."}[5m])) / sum by (model) (rate(headgate_requests_total[5m])) > 0.05 and sum by (model) (rate(headgate_requests_total[5m])) > 0.05',
    summary: '{{ $value | humanizePercentage }} of the requests for {{ $labels.model }} fail.',
    action: 'headgate logs --status 5xx names the requests, headgate health --channels the channels.',
  },
  {
    alert: 'HeadgateChannelDown',
    severity: 'critical',
    for: '2m',
    query: 'max by (channel) (headgate_health_state{scope="channel"}) == 0',
    summary: 'Channel {{ $labels.channel }} is out of rotation on every node.',
    action:
      'headgate health --channels says why, and headgate health --reset CHANNEL tries it again at once.',
  },
  {
    alert: 'HeadgateCredentialDown',
    severity: 'critical',
    for: '2m',
    query: 'max by (channel, credential) (headgate_health_state{scope="credential"}) == 0',
    summary:
      'Credential {{ $labels.credential }} of channel {{ $labels.channel }} is out of rotation on every node.',
    action: 'headgate health --channels says whether it is refused or out of credit; replace it, or pay.',
  },
  {
    alert: 'HeadgateLedgerAway',
    severity: 'critical',
    for: '1m',
    query: 'min by (instance) (headgate_ledger_up) == 0',
    summary: 'Node {{ $labels.instance }} cannot write the ledger.',
    action:
      'Look at the database, or the disk of the data folder: keys with an exact budget get 503 until it is back.',
  },
  {
    alert: 'HeadgateLedgerRowsLost',
    severity: 'critical',
    for: '0m',
    query: 'increase(headgate_ledger_dropped_rows_total[15m]) > 0',
    summary: 'Node {{ $labels.instance }} lost {{ $value | humanize }} rows of the ledger.',
    action:
      'The store was away for longer than memory lasts; compare the bill of the providers with headgate usage.',
  },
  {
    alert: 'HeadgateDiskNearlyFull',
    severity: 'critical',
    for: '0m',
    query: 'max by (instance) (headgate_disk_level) == 2',
    summary: 'The disk of the data folder of {{ $labels.instance }} is nearly full.',
    action: 'Make room: requests that a limit in money applies to get 503.',
  },
  {
    alert: 'HeadgateDiskLow',
    severity: 'warning',
    for: '10m',
    query: 'max by (instance) (headgate_disk_level) == 1',
    summary: 'The disk of the data folder of {{ $labels.instance }} fills up.',
    action: 'Make room, or lower request_log.keep.',
  },
  {
    alert: 'HeadgateQueue',
    severity: 'warning',
    for: '5m',
    query: 'sum(headgate_waiting_requests) > 0',
    summary: '{{ $value }} requests wait since every target is in cooldown or full.',
    action:
      'Add a channel or a fallback, or raise concurrency: headgate health --channels names what is full.',
  },
  {
    alert: 'HeadgateSlowFirstContent',
    severity: 'warning',
    for: '10m',
    query:
      'histogram_quantile(0.95, sum by (le, model) (rate(headgate_first_content_seconds_bucket[10m]))) > 30 and sum by (model) (rate(headgate_first_content_seconds_count[10m])) > 0.05',
    summary:
      'One answer in twenty of {{ $labels.model }} takes longer than {{ $value | humanizeDuration }} to begin.',
    action:
      'headgate traffic --model MODEL and the dashboard say since when; headgate logs --min-ms 30000 which channel.',
  },
  {
    alert: 'HeadgateRequestLogAway',
    severity: 'warning',
    for: '5m',
    query: 'min by (instance) (headgate_request_log_up) == 0',
    summary: 'Node {{ $labels.instance }} cannot store the request log.',
    action: 'Requests are served all the same; its own log names the cause.',
  },
  {
    alert: 'HeadgateLogLinesLost',
    severity: 'warning',
    for: '0m',
    query: 'increase(headgate_log_dropped_lines_total[15m]) > 0',
    summary: 'Node {{ $labels.instance }} dropped {{ $value | humanize }} lines of its log.',
    action: 'Whatever reads standard output is too slow, or its disk is full.',
  },
  {
    alert: 'HeadgateAlertsNotDelivered',
    severity: 'warning',
    for: '0m',
    query: 'sum by (receiver) (increase(headgate_alert_deliveries_total{outcome!="sent"}[15m])) > 0',
    summary: 'Alerts to {{ $labels.receiver }} do not arrive.',
    action: 'headgate alerts test RECEIVER shows the answer.',
  },
  {
    alert: 'HeadgateEventLoopSlow',
    severity: 'warning',
    for: '5m',
    query: 'max by (instance) (nodejs_eventloop_lag_p99_seconds{job="headgate"}) > 0.1',
    summary:
      'Node {{ $labels.instance }} is short of processor: one turn in a hundred comes {{ $value | humanizeDuration }} late.',
    action: 'Add nodes; docs/scaling.md says how many.',
  },
  {
    alert: 'HeadgateVersionsDiffer',
    severity: 'warning',
    for: '1h',
    query: 'count(count by (version) (headgate_build_info)) > 1',
    summary: '{{ $value }} versions have run for an hour.',
    action: 'A rollout is stuck: kubectl rollout status, and the log of the newest node.',
  },
  {
    alert: 'HeadgatePriceFileUnreadable',
    severity: 'warning',
    for: '0m',
    query: 'min by (instance) (headgate_price_file_up) == 0',
    summary: 'prices.json of {{ $labels.instance }} cannot be read, so its next start bills by other prices.',
    action: 'headgate check says why. Correct the file, or delete it and run headgate prices update.',
  },
  {
    alert: 'HeadgateUnpricedModels',
    severity: 'info',
    for: '1h',
    query: 'count by (model) (headgate_unpriced_models) > 0',
    summary: 'Model {{ $labels.model }} has no price.',
    action: 'headgate prices list shows the models; models.NAME.price gives one.',
  },
]
