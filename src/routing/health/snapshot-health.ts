import type { Clock } from '../../kit/time/clock.ts'
import type { Candidate } from '../candidate.ts'
import type { HealthScope } from './assess-health-impact.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { HealthSnapshot, StoredBreaker } from './health-store.ts'
import { fingerprintOf, type HealthTable } from './health-table.ts'

/** What is shut at this moment, in wall time. */
export function takeSnapshot(records: HealthTable, clock: Clock): HealthSnapshot {
  const savedAtMs = clock.nowMs()
  const gates: StoredBreaker[] = []
  const keep = (gate: CircuitBreaker, place: Omit<StoredBreaker, StoredState>) => {
    const kept = keepGate(gate, clock)
    if (kept !== undefined) gates.push({ ...place, ...kept })
  }
  for (const [channel, record] of records.channels) {
    const whole = { channel, place: record.place, credentialId: '', fingerprint: '', upstreamModel: '' }
    keep(record.gate, { ...whole, scope: 'channel' })
    for (const [credentialId, { gate, models, secret }] of record.credentials) {
      const fingerprint = fingerprintOf(secret)
      keep(gate, { ...whole, scope: 'credential', credentialId, fingerprint })
      for (const [upstreamModel, model] of models) {
        keep(model.gate, { ...whole, scope: 'model', credentialId, fingerprint, upstreamModel })
      }
    }
  }
  return { version: 1, savedAtMs, gates }
}

type StoredState = 'reason' | 'needsProbe' | 'isDegraded' | 'trips' | 'untilAtMs'

function keepGate(gate: CircuitBreaker, clock: Clock): Pick<StoredBreaker, StoredState> | undefined {
  const { reason, needsProbe, isDegraded, trips } = gate
  const leftMs = gate.untilMs - clock.monotonicMs()
  if (reason === undefined || (leftMs <= 0 && !needsProbe)) return undefined
  return { reason, needsProbe, isDegraded, trips, untilAtMs: clock.nowMs() + leftMs }
}

/** What nobody asked for in so long is kept no longer. */
const KEPT_UNASKED_MS = 24 * 60 * 60_000

/** Gives each candidate what was kept of it, once. */
export function restoreHealth(snapshot: HealthSnapshot, clock: Clock) {
  const byChannel = Map.groupBy(snapshot.gates, ({ channel }) => channel)
  const done = new Set<string>()
  const taken = new Set<StoredBreaker>()

  return {
    apply(candidate: Candidate, records: HealthTable): void {
      const { channel } = candidate.target
      const kept = byChannel.get(channel.name)
      if (kept === undefined) return
      const key = `${channel.name} ${candidate.credential?.id ?? ''} ${candidate.target.upstreamModel}`
      if (done.has(key)) return
      done.add(key)
      for (const one of kept) {
        if (!speaksOf(one, candidate)) continue
        taken.add(one)
        reopen(one, candidate, records)
      }
    },
    /** What no candidate has asked for yet, to be kept on. */
    untaken(): readonly StoredBreaker[] {
      const nowMs = clock.nowMs()
      const isAlive = ({ untilAtMs, needsProbe }: StoredBreaker) =>
        needsProbe ? nowMs - untilAtMs < KEPT_UNASKED_MS : untilAtMs > nowMs
      return [...byChannel.values()].flat().filter((one) => !taken.has(one) && isAlive(one))
    },
    forget(channelName: string): void {
      byChannel.delete(channelName)
    },
  }

  function reopen(one: StoredBreaker, candidate: Candidate, records: HealthTable): void {
    const gate = records.reach(candidate)[one.scope].gate
    // Learned since, or from a candidate that shares it.
    if (gate.trips > 0) return
    const nowMs = clock.monotonicMs()
    const { reason, needsProbe, isDegraded, trips } = one
    // A wall clock that was set back must not make a wait longer than it was.
    const leftMs = Math.min(one.untilAtMs - clock.nowMs(), one.untilAtMs - snapshot.savedAtMs)
    gate.shut({ reason, needsProbe, isDegraded, nowMs, untilMs: nowMs + leftMs })
    gate.trips = trips
  }
}

function speaksOf(one: StoredBreaker, { target, credential }: Candidate): boolean {
  const scopes: Readonly<Record<HealthScope, boolean>> = {
    channel: true,
    credential:
      one.credentialId === (credential?.id ?? '') && one.fingerprint === fingerprintOf(credential?.secret),
    model: false,
  }
  const isModel = scopes.credential && one.upstreamModel === target.upstreamModel
  return one.place === target.channel.baseUrl && (one.scope === 'model' ? isModel : scopes[one.scope])
}
