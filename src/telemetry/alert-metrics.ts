import { Gauge, type Registry } from 'prom-client'
import { createCounter } from './create-counter.ts'

export interface OpenAlertReading {
  readonly kind: string
  readonly severity: string
}

export interface AlertMetrics {
  /** Sets the source of the open alerts. */
  watch(read: () => readonly OpenAlertReading[]): void
  /** Counts a reported event of an alert. */
  reported(alert: OpenAlertReading & { readonly event: string }): void
  /** Counts the outcome of the POST to a receiver. */
  delivered(outcome: string, receiver: string): void
}

/** Creates the metrics of alerts. Labels are kinds and names of configured receivers, so their number is bounded. */
export function createAlertMetrics(registry: Registry): AlertMetrics {
  const all = createCounter(registry, {
    name: 'headgate_alerts_total',
    help: 'POSTs of alerts by outcome.',
    labelNames: ['outcome'],
  })
  const deliveries = createCounter(registry, {
    name: 'headgate_alert_deliveries_total',
    help: 'POSTs of alerts by receiver and outcome.',
    labelNames: ['receiver', 'outcome'],
  })
  const events = createCounter(registry, {
    name: 'headgate_alert_events_total',
    help: 'Alerts that were opened, changed, repeated or resolved.',
    labelNames: ['kind', 'severity', 'event'],
  })
  let readOpen: () => readonly OpenAlertReading[] = () => []
  new Gauge({
    name: 'headgate_alerts_open',
    help: 'Alerts that are open.',
    labelNames: ['kind', 'severity'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { kind, severity } of readOpen()) this.inc({ kind, severity })
    },
  })
  return {
    watch(read) {
      readOpen = read
    },
    reported: ({ kind, severity, event }) => events.add([kind, severity, event], 1),
    delivered(outcome, receiver) {
      all.add([outcome], 1)
      deliveries.add([receiver, outcome], 1)
    },
  }
}
