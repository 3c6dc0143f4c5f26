import { Gauge, type Registry } from 'prom-client'
import { createCounter } from './create-counter.ts'

export interface OpenAlertReading {
  readonly kind: string
  readonly severity: string
}

export interface AlertReading {
  readonly open: readonly OpenAlertReading[]
  readonly receivers: readonly { readonly name: string }[]
}

const outcomes = ['sent', 'failed', 'dropped'] as const

export interface AlertMetrics {
  /** Sets the source of the open alerts and of the receivers. */
  watch(read: () => AlertReading): void
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
  let readAlerts = (): AlertReading => ({ open: [], receivers: [] })
  const deliveries = createCounter(registry, {
    name: 'headgate_alert_deliveries_total',
    help: 'POSTs of alerts by receiver and outcome.',
    labelNames: ['receiver', 'outcome'],
    // Prometheus sees no increase in a counter whose first value is 1, and that may be the only failure.
    known: () => readAlerts().receivers.flatMap(({ name }) => outcomes.map((outcome) => [name, outcome])),
  })
  const events = createCounter(registry, {
    name: 'headgate_alert_events_total',
    help: 'Alerts that were opened, changed, repeated or resolved.',
    labelNames: ['kind', 'severity', 'event'],
  })
  new Gauge({
    name: 'headgate_alerts_open',
    help: 'Alerts that are open.',
    labelNames: ['kind', 'severity'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { kind, severity } of readAlerts().open) this.inc({ kind, severity })
    },
  })
  return {
    watch(read) {
      readAlerts = read
    },
    reported: ({ kind, severity, event }) => events.add([kind, severity, event], 1),
    delivered(outcome, receiver) {
      all.add([outcome], 1)
      deliveries.add([receiver, outcome], 1)
    },
  }
}
