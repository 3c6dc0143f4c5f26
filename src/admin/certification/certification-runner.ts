import { addAmounts, type NanoDollars } from '../../canonical/money.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Clock, ReportFault, Timer } from '../../kit/time/clock.ts'
import type { CertifyingOperator } from './call-channel.ts'
import type { CheckName, FindingCode } from './certification-contract.ts'
import type { Certification, CertificationStore, CheckResult } from './certification-store.ts'
import { allChecks } from './checks/all-checks.ts'
import { notTried } from './checks/check.ts'
import { boundCost } from './plan-cost.ts'
import { type CheckParts, runCheck } from './run-check.ts'

/** The limit on concurrent certifications. Further ones are queued. */
const MAX_RUNNING = 2
/** The limit on concurrent checks of one certification. */
const MAX_CHECKS_AT_ONCE = 3
/** The interval at which a process renews its claim on the certifications that it has queued or running. */
export const RENEWAL_MS = 30_000

export interface RunnerOptions extends CheckParts {
  readonly store: Pick<CertificationStore, 'update'>
  readonly clock: Clock
  /** Creates a different word each time, which no model produces by itself. */
  readonly createWord: () => string
  readonly reportFault: ReportFault
}

/** A certification to carry out. */
export interface CertificationOrder {
  readonly certification: Certification
  readonly target: Pick<Target, 'prices'>
  readonly operator: CertifyingOperator
  /** Undefined if only the plan limits the cost. */
  readonly maxCost: NanoDollars | undefined
}

/** Carries out certifications in the background, a few at a time, and stores what is known after each check. */
export class CertificationRunner {
  readonly #options: RunnerOptions
  readonly #open = new Map<string, CertificationRun>()
  readonly #queue: CertificationRun[] = []
  #running = 0
  #renewal: Timer | undefined
  #isClosed = false

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  start(order: CertificationOrder): void {
    const run = new CertificationRun(order, this.#options)
    this.#open.set(order.certification.id, run)
    this.#queue.push(run)
    this.#renewal ??= this.#options.clock.startTimer(RENEWAL_MS, () => this.#renew())
    this.#next()
  }

  /** Cancels a certification at once. False if this process does not run it. */
  cancel(id: string): boolean {
    const run = this.#open.get(id)
    run?.cancel()
    return run !== undefined
  }

  /** Cancels all certifications. Resolves after that is stored. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#renewal?.cancel()
    const runs = [...this.#open.values()]
    for (const run of runs) run.cancel()
    this.#next()
    await Promise.all(runs.map(({ ended }) => ended))
  }

  #next(): void {
    while (this.#running < MAX_RUNNING) {
      const run = this.#queue.shift()
      if (run === undefined) return
      this.#running += 1
      void this.#carryOut(run)
    }
  }

  async #carryOut(run: CertificationRun): Promise<void> {
    try {
      await run.carryOut()
    } catch (error) {
      this.#options.reportFault('a certification', error)
    } finally {
      this.#running -= 1
      this.#open.delete(run.current.id)
      this.#next()
    }
  }

  #renew(): void {
    for (const run of this.#open.values()) run.renew()
    if (this.#open.size > 0 && !this.#isClosed) this.#renewal?.restart()
    else this.#renewal = undefined
  }
}

/** The run of one certification through its checks. */
class CertificationRun {
  readonly #order: CertificationOrder
  readonly #options: RunnerOptions
  readonly #stop = new AbortController()
  readonly #ended = Promise.withResolvers<void>()
  /** Writes are serialized, so that none replaces a newer one. */
  #saving: Promise<unknown> = Promise.resolve()
  #waiting: CheckName[] = []
  /** The maximum that the checks in progress can still cost. */
  #reserved = 0
  current: Certification

  constructor(order: CertificationOrder, options: RunnerOptions) {
    this.#order = order
    this.#options = options
    this.current = order.certification
  }

  get ended(): Promise<void> {
    return this.#ended.promise
  }

  cancel(): void {
    this.#stop.abort()
  }

  renew(): void {
    this.#save({})
  }

  async carryOut(): Promise<void> {
    try {
      await this.#runChecks()
    } finally {
      const { signal } = this.#stop
      const state = signal.aborted ? 'cancelled' : 'done'
      for (const check of this.#waiting.splice(0)) this.#enter(unasked(check, 'cancelled'))
      this.#save({ state, endedAtMs: this.#options.clock.nowMs() })
      await this.#saving
      this.#ended.resolve()
    }
  }

  async #runChecks(): Promise<void> {
    if (this.#stop.signal.aborted) {
      this.#waiting = [...this.current.checks]
      return
    }
    this.#save({ state: 'running' })
    this.#waiting = [...this.current.checks]
    if (this.#waiting[0] === 'chat') {
      this.#waiting.shift()
      const answers = await this.#runOne('chat')
      if (!answers) this.#skipConversations()
    }
    const lanes = Array.from({ length: MAX_CHECKS_AT_ONCE }, () => this.#runWaiting())
    await Promise.all(lanes)
  }

  /**
   * Skips the conversation checks. A model that does not answer cannot show how it answers, and an embeddings model
   * has no other answers.
   */
  #skipConversations(): void {
    const skipped = this.#waiting.filter((check) => check !== 'embeddings')
    this.#waiting = this.#waiting.filter((check) => check === 'embeddings')
    for (const check of skipped) this.#enter(unasked(check, 'needs_chat'))
  }

  async #runWaiting(): Promise<void> {
    for (let check = this.#nextCheck(); check !== undefined; check = this.#nextCheck())
      await this.#runOne(check)
  }

  #nextCheck(): CheckName | undefined {
    return this.#stop.signal.aborted ? undefined : this.#waiting.shift()
  }

  /** Whether the check found that it works. */
  async #runOne(check: CheckName): Promise<boolean> {
    const { target, operator, maxCost } = this.#order
    const { channel, model, upstreamModel } = this.current
    const bound = boundCost(target, check, this.#options.clock.nowMs()) ?? 0
    const spent = this.current.cost ?? 0
    if (maxCost !== undefined && spent + this.#reserved + bound > maxCost) {
      this.#enter(unasked(check, 'over_cost'))
      return false
    }
    this.#reserved += bound
    const { signal } = this.#stop
    const context = { word: this.#options.createWord(), upstreamModel }
    const callContext = { target: { channel, model, upstreamModel }, operator, signal }
    const { result, cost } = await runCheck(
      { check: allChecks[check], context, ...callContext },
      this.#options,
    )
    this.#reserved -= bound
    this.#enter(result, cost)
    return result.outcome === 'works'
  }

  #enter(result: CheckResult, cost?: NanoDollars): void {
    const { cost: before } = this.current
    this.#save({
      results: [...this.current.results, result],
      cost: cost === undefined ? before : addAmounts(before, cost),
    })
  }

  #save(change: Partial<Certification>): void {
    const { store, clock, reportFault } = this.#options
    this.current = { ...this.current, ...change, updatedAtMs: clock.nowMs() }
    const saved = this.current
    this.#saving = this.#saving.then(async () => {
      try {
        if (!(await store.update(saved))) this.cancel()
      } catch (error) {
        reportFault('the result of a certification', error)
      }
    })
  }
}

function unasked(check: CheckName, finding: FindingCode): CheckResult {
  return { ...notTried(finding), check, evidence: [], durationMs: 0 }
}
