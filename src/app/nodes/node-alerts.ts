// Alerts of an installation with several nodes. One node decides, based on the observations of all nodes.
import type { AlertControl } from '../../admin/alerts/alert-control.ts'
import type { Acknowledgement, Alert, Mute } from '../../alerts/alert.ts'
import type { AlertPolicy } from '../../alerts/alert-schema.ts'
import type { AlertMarks, AlertStore } from '../../alerts/alert-store.ts'
import type { AlertSources } from '../../alerts/judge-state.ts'
import type { Config } from '../../config/config.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { ReachedThreshold } from '../../metering/budgets/reached-threshold.ts'
import { type DiskState, describeDisk } from '../../telemetry/disk-guard.ts'
import type { NoticeLog } from '../../telemetry/notice-log.ts'
import { describeHealth, type ObservedHealthChange } from '../../telemetry/observed-health-change.ts'
import type { JudgedRow } from '../../telemetry/observer.ts'
import type { Alerts, DecidingAlerts } from '../monitoring/start-alerts.ts'
import { createFaultSeries, type FaultSeries } from './fault-series.ts'
import { type AlertChanged, type BusTopic, isPublishedOn } from './process-bus.ts'
import type { HeardEvent, SharedBus, SharedWork } from './shared-state.ts'

export interface NodeAlertsOptions {
  /** The alerts of this node, for the time in which it decides. */
  readonly deciding: DecidingAlerts
  readonly notices: Pick<NoticeLog, 'warn' | 'info'>
  readonly store: Pick<AlertStore, 'change'>
  readonly clock: Clock
  readonly bus: SharedBus
  readonly work: SharedWork
}

/** The time between two checks whether this node decides. */
const LOOK_EVERY_MS = 1_000
/** Rows are collected for this long, and then sent together. */
const SEND_AFTER_MS = 1_000
/** The maximum number of rows and attempts in one event, so that it stays below the largest event that is sent. */
const MAX_PARTS = 1_500
/** Events of this time may not have reached any deciding node. A node that starts to decide reads them again. */
const UNHEARD_MS = 30_000
const judgedTopics = ['budget-reached', 'requests-ended', 'reset-health', 'alert-changed'] as const

export class NodeAlerts implements Alerts {
  readonly #options: NodeAlertsOptions
  readonly #faults: FaultSeries
  #isDeciding = false
  #isClosed = false
  /** The monotonic time since which this node tries to decide. */
  #dueSinceMs: number | undefined
  #sources: AlertSources | undefined
  #looking: Promise<void> | undefined
  #rows: JudgedRow[] = []
  /** The number of waiting rows and of their attempts. */
  #parts = 0

  constructor(options: NodeAlertsOptions) {
    const { deciding, bus, notices } = options
    this.#options = options
    this.#faults = createFaultSeries('this node could not begin to decide about alerts', (message) =>
      notices.warn(message),
    )
    deciding.pause()
    for (const topic of judgedTopics)
      bus.on(topic, (value) => {
        if (this.#decides) this.#hear(topic, value)
      })
  }

  get policy(): AlertPolicy {
    return this.#options.deciding.policy
  }

  async load(): Promise<void> {
    await this.#look()
  }

  watch(sources: AlertSources): void {
    this.#sources = sources
    this.#options.deciding.watch(sources)
    if (this.#isDeciding) this.#judgeHealth()
    this.#scheduleLook()
  }

  requestEnded(row: JudgedRow): void {
    if (this.#decides) {
      this.#options.deciding.requestEnded(row)
      return
    }
    this.#rows.push(row)
    this.#parts += 1 + row.attempts.length
    if (this.#rows.length === 1) this.#options.clock.startTimer(SEND_AFTER_MS, () => this.#sendRows())
    else if (this.#parts >= MAX_PARTS) this.#sendRows()
  }

  healthChanged(change: ObservedHealthChange): void {
    const { deciding, notices } = this.#options
    if (this.#decides) deciding.healthChanged(change)
    else if (change.to === 'open') notices.warn(describeHealth(change))
    else if (change.to === 'healthy') notices.info(describeHealth(change))
  }

  healthReset(channelName: string): void {
    if (this.#decides) this.#options.deciding.healthReset(channelName)
    else this.#options.notices.info(`channel ${channelName}: its health was reset by an operator`)
  }

  budgetReached(reached: ReachedThreshold): void {
    // The event is always published: if the deciding node ends before it has stored its decision, the next one reads
    // the event again.
    this.#options.bus.publish('budget-reached', reached)
    if (this.#decides) this.#options.deciding.budgetReached(reached)
  }

  /** The disk of a node that does not decide causes no alert of the installation. */
  diskChanged(state: DiskState): void {
    if (this.#decides) this.#options.deciding.diskChanged(state)
    else this.#options.notices.warn(describeDisk(state))
  }

  change(config: Config): void {
    this.#options.deciding.change(config)
  }

  flush(): Promise<void> {
    return this.#options.deciding.flush()
  }

  acknowledge(id: string, acknowledged: Acknowledgement): Alert | undefined | Promise<Alert | undefined> {
    if (this.#decides) return this.#options.deciding.acknowledge(id, acknowledged)
    return this.#changeElsewhere({ id, acknowledged }, { acknowledged })
  }

  mute(id: string, mute: Mute | undefined): Alert | undefined | Promise<Alert | undefined> {
    if (this.#decides) return this.#options.deciding.mute(id, mute)
    return this.#changeElsewhere({ id, mute: mute ?? null }, { mute })
  }

  deliveryOf(receiverName: string): ReturnType<AlertControl['deliveryOf']> {
    return this.#options.deciding.deliveryOf(receiverName)
  }

  test(receiverName: string): ReturnType<AlertControl['test']> {
    return this.#options.deciding.test(receiverName)
  }

  close(): void {
    this.#isClosed = true
  }

  get #decides(): boolean {
    return this.#isDeciding && this.#options.work.mayGoOn()
  }

  #scheduleLook(): void {
    this.#options.clock.startTimer(LOOK_EVERY_MS, () => {
      if (this.#isClosed) return
      void this.#look().then(() => this.#scheduleLook())
    })
  }

  #look(): Promise<void> {
    this.#looking ??= this.#changeRole().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async #changeRole(): Promise<void> {
    const { deciding, work, bus, clock } = this.#options
    if (this.#isDeciding && !work.mayGoOn()) {
      this.#isDeciding = false
      this.#dueSinceMs = undefined
      deciding.pause()
    }
    if (this.#isDeciding) return
    if (!work.isMine()) {
      this.#dueSinceMs = undefined
      return
    }
    this.#dueSinceMs ??= clock.monotonicMs()
    try {
      await deciding.resume()
      this.#isDeciding = true
      if (this.#sources === undefined) return
      const withinMs = UNHEARD_MS + Math.ceil(clock.monotonicMs() - this.#dueSinceMs)
      for (const event of await bus.hearAgain(judgedTopics, withinMs))
        if (!this.#isOlderThanAlert(event)) this.#hear(event.topic, event.value)
      this.#judgeHealth()
      this.#dueSinceMs = undefined
      this.#faults.succeeded()
    } catch (error) {
      // The next check tries all of it again, since a node that decides already never reads the unheard events.
      this.#isDeciding = false
      deciding.pause()
      this.#faults.failed(error)
    }
  }

  /** Reports the targets that went out of rotation while no node decided. Alerts that exist already do not change. */
  #judgeHealth(): void {
    for (const change of this.#sources?.outOfRotation() ?? []) this.#options.deciding.healthChanged(change)
  }

  #hear(topic: BusTopic, value: unknown): void {
    const { deciding } = this.#options
    if (topic === 'budget-reached' && isPublishedOn(topic, value)) deciding.budgetReached(value)
    else if (topic === 'requests-ended' && isPublishedOn(topic, value))
      for (const row of value) deciding.requestEnded(row)
    else if (topic === 'reset-health' && isPublishedOn(topic, value)) deciding.healthReset(value)
    else if (topic === 'alert-changed' && isPublishedOn(topic, value)) this.#apply(value)
  }

  /** Whether the event is a reset of a channel that has had a new alert since then. */
  #isOlderThanAlert({ topic, value, sentAtMs }: HeardEvent): boolean {
    if (topic !== 'reset-health') return false
    const { open } = this.#options.deciding
    return open.some(({ subject, openedAtMs }) => subject.channel === value && openedAtMs >= sentAtMs)
  }

  #sendRows(): void {
    const rows = this.#rows
    this.#rows = []
    this.#parts = 0
    if (rows.length > 0) this.#options.bus.publish('requests-ended', rows.map(onlyJudged))
  }

  async #changeElsewhere(change: AlertChanged, changed: AlertMarks) {
    const { store, bus } = this.#options
    const alert = await store.change(change.id, changed)
    if (alert !== undefined) bus.publish('alert-changed', change)
    return alert
  }

  #apply({ id, acknowledged, mute }: AlertChanged): void {
    const { deciding } = this.#options
    if (acknowledged !== undefined) deciding.acknowledge(id, acknowledged)
    if (mute !== undefined) deciding.mute(id, mute ?? undefined)
  }
}

function onlyJudged(row: JudgedRow): JudgedRow {
  const { isOperator, isReplay, model, channel, isStream, error, callerLeft } = row
  const { firstContentMs, totalMs, endedAtMs, attempts } = row
  return {
    ...(isOperator !== undefined && { isOperator }),
    ...(isReplay !== undefined && { isReplay }),
    model,
    channel,
    isStream,
    error,
    callerLeft,
    firstContentMs,
    totalMs,
    endedAtMs,
    attempts: attempts.map((attempt) => ({
      ...attempt,
      cause: undefined,
      usage: undefined,
      credentialId: undefined,
    })),
  }
}
