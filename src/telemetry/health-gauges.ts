import { Gauge, type Registry } from 'prom-client'

/** The state that the health gauges read at each scrape. */
export interface HealthReading {
  readonly lines: readonly HealthReadingLine[]
  readonly channels: readonly { readonly name: string; readonly callsInFlight: number }[]
  /** The number of requests in the queue. */
  readonly waiting: number
}

export interface HealthReadingLine {
  readonly channel: string
  readonly scope: string
  readonly credentialId: string | undefined
  readonly upstreamModel: string | undefined
  readonly state: 'healthy' | 'degraded' | 'open' | 'half-open'
  /** The operations that the state concerns; undefined if it concerns all. */
  readonly operations: readonly string[] | undefined
}

const values: Readonly<Record<HealthReadingLine['state'], number>> = {
  healthy: 1,
  degraded: 0.5,
  'half-open': 0.5,
  open: 0,
}

/** Adds the health gauges. Labels are names of channels, keys, models and operations, so their number is bounded. */
export function addHealthGauges(registry: Registry, read: () => HealthReading | undefined): void {
  const registers = [registry]
  new Gauge({
    name: 'headgate_health_state',
    help: 'Circuit breaker state: 1 closed (healthy), 0.5 degraded or half-open, 0 open (out of rotation). operation is empty for all operations.',
    labelNames: ['channel', 'scope', 'credential', 'upstream_model', 'operation'],
    aggregator: 'min',
    registers,
    collect() {
      this.reset()
      for (const { channel, scope, credentialId, upstreamModel, state, operations } of read()?.lines ?? []) {
        const subject = {
          channel,
          scope,
          credential: credentialId ?? '',
          upstream_model: upstreamModel ?? '',
        }
        // All other operations are in rotation.
        const ofAll = operations === undefined ? state : 'healthy'
        this.set({ ...subject, operation: '' }, values[ofAll])
        for (const operation of operations ?? []) this.set({ ...subject, operation }, values[state])
      }
    },
  })
  new Gauge({
    name: 'headgate_channel_calls',
    help: 'Calls to channels in progress.',
    labelNames: ['channel'],
    registers,
    collect() {
      this.reset()
      for (const { name, callsInFlight } of read()?.channels ?? []) this.set({ channel: name }, callsInFlight)
    },
  })
  new Gauge({
    name: 'headgate_waiting_requests',
    help: 'Requests in the queue.',
    registers,
    collect() {
      this.set(read()?.waiting ?? 0)
    },
  })
}
