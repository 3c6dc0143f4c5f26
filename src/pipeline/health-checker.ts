import type { Channel, Credential, HealthCheck } from '../catalog/channel.ts'
import type { Random } from '../kit/random/random.ts'
import type { Clock, Timer } from '../kit/time/clock.ts'
import { listsModels } from '../providers/provider.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { HealthTracker } from '../routing/health/health-tracker.ts'
import { type PlannedCheck, planCheck } from '../routing/health/plan-check.ts'
import { type CheckDependencies, type CheckFault, runHealthCheck } from './run-health-check.ts'

/** The result of the last check of a credential. */
export interface CheckReport {
  readonly channel: string
  readonly credentialId: string | undefined
  readonly type: PlannedCheck['type']
  readonly upstreamModel: string | undefined
  /** The reason why the check failed, without secrets; undefined if it passed. */
  readonly cause: string | undefined
  /** The same as data. */
  readonly fact: CheckFault['fact']
  /** The time of the check, by the wall clock. */
  readonly atMs: number
}

export interface HealthCheckerOptions {
  readonly gateway: CheckDependencies
  readonly tracker: HealthTracker
  readonly clock: Clock
  readonly random: Random
  /** Whether this process makes the checks. Several processes may share the same health. */
  readonly isMine: () => boolean
  readonly onChecked: (report: CheckReport) => void
  /** Called when a candidate may be called again after it could not be. */
  readonly onFreed: () => void
}

export interface HealthChecker {
  /** Checks from now on the given channels that ask for checks. A check in progress continues if its channel stays. */
  change(channels: readonly Channel[]): void
  /** The last check of each credential. */
  reports(): readonly CheckReport[]
  close(): void
}

/** The share by which a check may come earlier, so that many credentials are not checked at the same moment. */
const JITTER = 0.2

/** Creates the checker of credentials that are out of rotation. Each credential has its own checks, one at a time. */
export function createHealthChecker(options: HealthCheckerOptions): HealthChecker {
  let rounds = new Map<string, Round>()
  return {
    change(channels) {
      const next = new Map<string, Round>()
      for (const subject of channels.flatMap(subjectsOf)) {
        const key = `${subject.channel.name} ${subject.credential?.id}`
        const existing = rounds.get(key)
        existing?.change(subject)
        next.set(key, existing ?? new Round(subject, options))
        rounds.delete(key)
      }
      for (const gone of rounds.values()) gone.close()
      rounds = next
    },
    reports: () => [...rounds.values()].flatMap(({ last }) => last ?? []),
    close() {
      for (const round of rounds.values()) round.close()
      rounds.clear()
    },
  }
}

interface Subject {
  readonly channel: Channel
  readonly credential: Credential | undefined
  readonly policy: HealthCheck
}

function subjectsOf(channel: Channel): readonly Subject[] {
  const { healthCheck: policy, credentials } = channel
  if (policy === undefined) return []
  const checked = credentials.length === 0 ? [undefined] : credentials
  return checked.map((credential) => ({ channel, credential, policy }))
}

/** The checks of one credential, one after the other. */
class Round {
  #subject: Subject
  readonly #options: HealthCheckerOptions
  readonly #closing = new AbortController()
  #timer: Timer
  #turn = 0
  last: CheckReport | undefined

  constructor(subject: Subject, options: HealthCheckerOptions) {
    this.#subject = subject
    this.#options = options
    this.#timer = this.#wait()
  }

  /** Replaces the subject. The new one applies from the next check on. */
  change(subject: Subject): void {
    this.#subject = subject
  }

  close(): void {
    this.#timer.cancel()
    this.#closing.abort()
  }

  #wait(): Timer {
    const { clock, random } = this.#options
    const waitMs = this.#subject.policy.everyMs * (1 - JITTER * random.fraction())
    return clock.startTimer(waitMs, () => void this.#check())
  }

  async #check(): Promise<void> {
    const check = this.#options.isMine() ? this.#plan() : undefined
    if (check !== undefined) await this.#run(check)
    if (!this.#closing.signal.aborted) this.#timer = this.#wait()
  }

  get #listNeedsKey(): boolean {
    const { gateway } = this.#options
    return gateway.providers.find(this.#subject.channel.provider)?.modelListNeedsKey === true
  }

  #plan(): PlannedCheck | undefined {
    const { tracker, clock, gateway } = this.#options
    const { channel, credential, policy } = this.#subject
    const provider = gateway.providers.find(channel.provider)
    this.#turn += 1
    const { models } = channel
    return planCheck({
      lines: tracker.report(clock.monotonicMs()),
      channel: channel.name,
      credentialId: credential?.id,
      hasList: provider !== undefined && listsModels(provider),
      listNeedsKey: this.#listNeedsKey,
      mayGenerate: policy.mayGenerate,
      anyModels: models.type === 'named' ? [...models.upstreamNames.values()] : [],
      turn: this.#turn,
    })
  }

  async #run(check: PlannedCheck): Promise<void> {
    const { clock, gateway, tracker, onChecked, onFreed } = this.#options
    const { channel, credential } = this.#subject
    const upstreamModel = check.type === 'list' ? undefined : check.upstreamModel
    const candidate: Candidate = {
      target: { channel, upstreamModel: upstreamModel ?? '', capabilities: {} },
      credential,
      publicName: upstreamModel ?? '',
      operation: 'conversation',
      isProbe: true,
    }
    const startedAtMs = clock.monotonicMs()
    const fault = await runHealthCheck(check, { candidate, gateway }, this.#closing.signal)
    if (this.#closing.signal.aborted) return
    this.last = {
      channel: channel.name,
      credentialId: credential?.id,
      upstreamModel,
      cause: fault?.message,
      fact: fault?.fact,
      type: check.type,
      atMs: clock.nowMs(),
    }
    onChecked(this.last)
    if (fault !== undefined) return
    const passed =
      check.type === 'list'
        ? { type: check.type, candidate, listNeedsKey: this.#listNeedsKey }
        : { type: check.type, candidate }
    if (tracker.recordCheck(passed, { startedAtMs, endedAtMs: clock.monotonicMs() })) onFreed()
  }
}
