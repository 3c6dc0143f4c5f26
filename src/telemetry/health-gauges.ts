import { Gauge, type Registry } from 'prom-client'

/** What the gauges of health read at the moment in which they are asked. */
export interface HealthReading {
  readonly lines: readonly HealthReadingLine[]
  readonly channels: readonly { readonly name: string; readonly callsUnderWay: number }[]
  /** Requests in line. */
  readonly waiting: number
}

export interface HealthReadingLine {
  readonly channel: string
  readonly scope: string
  readonly credentialId: string | undefined
  readonly upstreamModel: string | undefined
  readonly state: 'well' | 'degraded' | 'shut' | 'probing'
}

const values: Readonly<Record<HealthReadingLine['state'], number>> = {
  well: 1,
  degraded: 0.5,
  probing: 0.5,
  shut: 0,
}

/** Labels hold names of channels, ids of keys and names of models that were asked, so their number is bounded. */
export function addHealthGauges(registry: Registry, read: () => HealthReading | undefined): void {
  const registers = [registry]
  new Gauge({
    name: 'headgate_health_state',
    help: '1 where it is well, 0.5 where it is degraded or probed, 0 where it is left alone.',
    labelNames: ['channel', 'scope', 'credential', 'upstream_model'],
    registers,
    collect() {
      this.reset()
      for (const { channel, scope, credentialId, upstreamModel, state } of read()?.lines ?? []) {
        const labels = { channel, scope, credential: credentialId ?? '', upstream_model: upstreamModel ?? '' }
        this.set(labels, values[state])
      }
    },
  })
  new Gauge({
    name: 'headgate_channel_calls',
    help: 'Calls to channels that are under way.',
    labelNames: ['channel'],
    registers,
    collect() {
      this.reset()
      for (const { name, callsUnderWay } of read()?.channels ?? []) this.set({ channel: name }, callsUnderWay)
    },
  })
  new Gauge({
    name: 'headgate_waiting_requests',
    help: 'Requests that wait for a target.',
    registers,
    collect() {
      this.set(read()?.waiting ?? 0)
    },
  })
}
