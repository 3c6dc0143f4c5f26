import type { Clock } from '../../kit/time/clock.ts'
import { DAY_MS } from '../../kit/time/time-units.ts'
import type { Candidate } from '../candidate.ts'
import { concernsOneOperation, type HealthScope } from './assess-health-impact.ts'
import type { CircuitBreaker, Trip } from './circuit-breaker.ts'
import type { HealthSnapshot, StoredBreaker } from './health-store.ts'
import { fingerprintOf, type HealthTable } from './health-table.ts'

/**
 * Creates a snapshot of every circuit breaker that blocks conversations at this moment, with times by the wall clock.
 * What concerns only other operations is not stored: each process learns it from its own requests.
 */
export function createSnapshot(records: HealthTable, clock: Clock): HealthSnapshot {
  const savedAtMs = clock.nowMs()
  const breakers: StoredBreaker[] = []
  const add = (circuit: CircuitBreaker, identity: Omit<StoredBreaker, StoredState>) => {
    const state = storedStateOf(circuit, clock)
    if (state !== undefined) breakers.push({ ...identity, ...state })
  }
  for (const [channel, record] of records.channels) {
    const whole = { channel, baseUrl: record.baseUrl, credentialId: '', fingerprint: '', upstreamModel: '' }
    add(record.circuit, { ...whole, scope: 'channel' })
    for (const [credentialId, { circuit, models, secret }] of record.credentials) {
      const fingerprint = fingerprintOf(secret)
      add(circuit, { ...whole, scope: 'credential', credentialId, fingerprint })
      for (const [upstreamModel, model] of models) {
        add(model.circuit, { ...whole, scope: 'model', credentialId, fingerprint, upstreamModel })
      }
    }
  }
  return { version: 2, savedAtMs, breakers }
}

/**
 * Adopts each breaker of a snapshot from another process. What this process knows itself has priority: an open breaker
 * stays open until the later of both ends.
 */
export function adoptBreakers(records: HealthTable, adopted: HealthSnapshot, clock: Clock): void {
  const monotonicMs = clock.monotonicMs()
  for (const one of adopted.breakers) {
    const circuit = findCircuit(records, one)
    const untilMs = monotonicMs + one.untilAtMs - clock.nowMs()
    if (circuit === undefined || (circuit.reason !== undefined && circuit.untilMs >= untilMs)) continue
    circuit.restore(tripOf(one, { monotonicMs, untilMs }), one.trips)
  }
}

function tripOf(
  { scope, reason, needsProbe, isDegraded }: StoredBreaker,
  times: Pick<Trip, 'monotonicMs' | 'untilMs'>,
): Trip {
  const operation = concernsOneOperation(scope, reason) ? 'conversation' : undefined
  return { ...times, reason, needsProbe, isDegraded, operation }
}

/** Closes a breaker that another process has closed. */
export function closeBreaker(records: HealthTable, closed: BreakerName, monotonicMs: number): void {
  const circuit = findCircuit(records, closed)
  if (circuit?.reason !== undefined) circuit.close(monotonicMs)
}

/** Merges two lists of breakers. A breaker of the second list replaces the same one of the first. */
export function mergeBreakers(
  before: readonly StoredBreaker[],
  after: readonly StoredBreaker[],
): readonly StoredBreaker[] {
  return [...before.filter((one) => !after.some((other) => isSameBreaker(one, other))), ...after]
}

function isSameBreaker(one: BreakerName, other: BreakerName): boolean {
  return (
    one.channel === other.channel &&
    one.scope === other.scope &&
    one.credentialId === other.credentialId &&
    one.upstreamModel === other.upstreamModel
  )
}

export type BreakerName = Pick<StoredBreaker, 'channel' | 'scope' | 'credentialId' | 'upstreamModel'>

function findCircuit(
  records: HealthTable,
  { channel, scope, credentialId, upstreamModel }: BreakerName,
): CircuitBreaker | undefined {
  const ofChannel = records.channels.get(channel)
  if (scope === 'channel') return ofChannel?.circuit
  const credential = ofChannel?.credentials.get(credentialId)
  return scope === 'credential' ? credential?.circuit : credential?.models.get(upstreamModel)?.circuit
}

type StoredState = 'reason' | 'needsProbe' | 'isDegraded' | 'trips' | 'untilAtMs'

function storedStateOf(circuit: CircuitBreaker, clock: Clock): Pick<StoredBreaker, StoredState> | undefined {
  const { reason, needsProbe, isDegraded, trips } = circuit
  const leftMs = circuit.untilMs - clock.monotonicMs()
  const isClosed = reason === undefined || (leftMs <= 0 && !needsProbe)
  if (isClosed || !circuit.concerns('conversation')) return undefined
  return { reason, needsProbe, isDegraded, trips, untilAtMs: clock.nowMs() + leftMs }
}

/** The time after which a stored breaker is dropped if no request considers its candidate. */
const MAX_UNASKED_MS = DAY_MS

/** Restores the breakers of each candidate once, when it is first considered. */
export function restoreHealth(snapshot: HealthSnapshot, clock: Clock) {
  const byChannel = Map.groupBy(snapshot.breakers, ({ channel }) => channel)
  const done = new Set<string>()
  const restored = new Set<StoredBreaker>()

  return {
    apply(candidate: Candidate, records: HealthTable): void {
      const { channel } = candidate.target
      const stored = byChannel.get(channel.name)
      if (stored === undefined) return
      const key = `${channel.name} ${candidate.credential?.id ?? ''} ${candidate.target.upstreamModel}`
      if (done.has(key)) return
      done.add(key)
      for (const one of stored) {
        if (!belongsTo(one, candidate)) continue
        restored.add(one)
        restoreOne(one, candidate, records)
      }
    },
    /** The breakers of candidates that were not considered yet. They stay stored. */
    pending(): readonly StoredBreaker[] {
      const nowMs = clock.nowMs()
      const isAlive = ({ untilAtMs, needsProbe }: StoredBreaker) =>
        needsProbe ? nowMs - untilAtMs < MAX_UNASKED_MS : untilAtMs > nowMs
      return [...byChannel.values()].flat().filter((one) => !restored.has(one) && isAlive(one))
    },
    forget(channelName: string): void {
      byChannel.delete(channelName)
    },
    /** Forgets a breaker that another process has closed. */
    close(closed: BreakerName): void {
      const left = byChannel.get(closed.channel)?.filter((one) => !isSameBreaker(one, closed))
      if (left !== undefined) byChannel.set(closed.channel, left)
    },
  }

  function restoreOne(one: StoredBreaker, candidate: Candidate, records: HealthTable): void {
    const circuit = records.getOrCreate(candidate)[one.scope].circuit
    // The breaker has tripped in the meantime, or was restored for another candidate that shares it.
    if (circuit.trips > 0) return
    const monotonicMs = clock.monotonicMs()
    // If the wall clock was set back, the cooldown must not become longer than it was.
    const leftMs = Math.min(one.untilAtMs - clock.nowMs(), one.untilAtMs - snapshot.savedAtMs)
    circuit.restore(tripOf(one, { monotonicMs, untilMs: monotonicMs + leftMs }), one.trips)
  }
}

function belongsTo(one: StoredBreaker, { target, credential }: Candidate): boolean {
  const scopes: Readonly<Record<HealthScope, boolean>> = {
    channel: true,
    credential:
      one.credentialId === (credential?.id ?? '') && one.fingerprint === fingerprintOf(credential?.secret),
    model: false,
  }
  const isModel = scopes.credential && one.upstreamModel === target.upstreamModel
  return one.baseUrl === target.channel.baseUrl && (one.scope === 'model' ? isModel : scopes[one.scope])
}
