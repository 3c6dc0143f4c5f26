// Reports problems: as a line of the log, a row of the store, a metric, and POSTs to the receivers.

import type { AlertControl } from '../../admin/alerts/alert-control.ts'
import {
  type Acknowledgement,
  type Alert,
  type AlertEvent,
  isMuted,
  type Mute,
  messageOf,
} from '../../alerts/alert.ts'
import { AlertMonitor } from '../../alerts/alert-monitor.ts'
import { type AlertPersistence, createAlertPersistence } from '../../alerts/alert-persistence.ts'
import type { AlertPolicy } from '../../alerts/alert-schema.ts'
import { type AlertSender, createAlertSender, NoAnswerError } from '../../alerts/alert-sender.ts'
import type { AlertStore } from '../../alerts/alert-store.ts'
import { createTestEvent } from '../../alerts/create-test-event.ts'
import type { AlertSources } from '../../alerts/judge-state.ts'
import { wantsEvent } from '../../alerts/receivers/wants-alert.ts'
import { writePost } from '../../alerts/receivers/write-post.ts'
import type { Channel } from '../../catalog/channel.ts'
import { isSameUpstreamOf } from '../../catalog/is-same-upstream.ts'
import type { Config } from '../../config/config.ts'
import { listSecrets } from '../../config/secrets/list-secrets.ts'
import { systemRandom } from '../../kit/random/random.ts'
import type { Clock, ReportFault, Timer } from '../../kit/time/clock.ts'
import type { ReachedThreshold } from '../../metering/budgets/reached-threshold.ts'
import type { DiskState } from '../../telemetry/disk-guard.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { NoticeLog } from '../../telemetry/notice-log.ts'
import { describeHealth, type ObservedHealthChange } from '../../telemetry/observed-health-change.ts'
import type { JudgedRow, Observer } from '../../telemetry/observer.ts'
import { createRedactor, type Redactor } from '../../telemetry/redact.ts'
import { openUpstream } from '../../upstream/open-upstream.ts'
import { postJson } from '../../upstream/post-json.ts'
import { UpstreamCallError } from '../../upstream/transport-fault.ts'

export interface Alerts extends Observer, AlertControl {
  /** Loads the alerts that were open before a restart. Must be called before any other method. */
  load(): Promise<void>
  /** Checks this state periodically from now on. */
  watch(sources: AlertSources): void
  requestEnded(row: JudgedRow): void
  healthChanged(change: ObservedHealthChange): void
  /** Called when an operator has reset a channel's health. */
  healthReset(channelName: string): void
  /** Called when the amount spent in a budget has reached a share of `warnAt`. */
  budgetReached(reached: ReachedThreshold): void
  diskChanged(state: DiskState): void
  change(config: Config): void
}

/** The alerts of a process that may decide about the alerts of several processes. */
export interface DecidingAlerts extends Alerts {
  readonly open: readonly Alert[]
  acknowledge(id: string, acknowledged: Acknowledgement): Alert | undefined
  mute(id: string, mute: Mute | undefined): Alert | undefined
  /** Starts to decide, with the stored alerts. Fails if they cannot be read. */
  resume(): Promise<void>
  /** Stops deciding. */
  pause(): void
}

export interface AlertsOptions {
  readonly config: Config
  readonly store: AlertStore
  readonly notices: NoticeLog
  readonly metrics: Metrics
  readonly clock: Clock
  readonly reportFault: ReportFault
}

const CONNECT_TIMEOUT_MS = 5_000
/** The time between two checks of state that causes no events. */
const JUDGE_EVERY_MS = 10_000
const ID_BYTES = 12

export function startAlerts(options: AlertsOptions, cleanup: AsyncDisposableStack): DecidingAlerts {
  const { config, store, notices, metrics, clock } = options
  const redactor = createRedactor(listSecrets(config))
  const warn = (message: string) => notices.warn(redactor.redact(message))
  const persistence = createAlertPersistence({ store, clock, warn })
  cleanup.defer(() => persistence.close())
  const sender = openSender({ clock, count: metrics.alerts.delivered, warn }, cleanup)
  const alerts = new OperatorAlerts(config, { ...options, sender, persistence, redactor, warn })
  metrics.alerts.watch(() => ({ open: alerts.open, receivers: alerts.policy.receivers }))
  cleanup.defer(() => alerts.close())
  return alerts
}

interface OperatorAlertOptions extends AlertsOptions {
  readonly sender: AlertSender
  readonly persistence: AlertPersistence
  readonly redactor: Redactor
  readonly warn: (message: string) => void
}

class OperatorAlerts implements DecidingAlerts {
  readonly #options: OperatorAlertOptions
  readonly #monitor: AlertMonitor
  #config: Config
  #nextCheck: Timer | undefined
  #isClosed = false
  #isPaused = false
  #hasOverflown = false

  constructor(config: Config, options: OperatorAlertOptions) {
    const { clock, redactor, persistence, reportFault } = options
    this.#config = config
    this.#options = options
    this.#monitor = new AlertMonitor({
      policy: config.alerts,
      createId: () => `alr_${systemRandom.bytes(ID_BYTES).toString('hex')}`,
      nowMs: clock.nowMs,
      redact: (text) => redactor.redact(text),
      onEvent: (event) => this.#report(event),
      onChange: (alert) => persistence.save(alert),
      onOverflow: () => this.#warnOfOverflow(),
      reportFault,
    })
  }

  get open(): readonly Alert[] {
    return this.#monitor.open
  }

  async load(): Promise<void> {
    this.#begin(await this.#options.persistence.load())
  }

  async resume(): Promise<void> {
    const { store, clock } = this.#options
    const live = await store.loadLive(clock.nowMs())
    this.#monitor.forget()
    this.#begin(live)
    this.#isPaused = false
  }

  pause(): void {
    this.#isPaused = true
    this.#options.persistence.forget()
    this.#monitor.forget()
  }

  #begin(live: readonly Alert[]): void {
    this.#monitor.load(live)
    this.#monitor.change(this.#config.alerts)
    const channels = byName(this.#config.channels)
    this.#monitor.endHealth('changed', ({ channel, credentialId }) => {
      const configured = channels.get(channel)
      if (configured === undefined) return true
      return credentialId !== undefined && configured.credentials.every(({ id }) => id !== credentialId)
    })
  }

  watch(sources: AlertSources): void {
    if (this.#isClosed) return
    // The timer starts first, since an error of this check must not end all later ones.
    this.#nextCheck = this.#options.clock.startTimer(JUDGE_EVERY_MS, () => this.watch(sources))
    if (!this.#isPaused) this.#monitor.judge(sources)
  }

  close(): void {
    this.#isClosed = true
    this.#nextCheck?.cancel()
  }

  requestEnded(row: Parameters<Observer['requestEnded']>[0]): void {
    this.#monitor.requestEnded(row)
  }

  healthChanged(change: ObservedHealthChange): void {
    const { notices } = this.#options
    if (this.#monitor.healthChanged(change)) return
    if (change.to === 'open') notices.warn(describeHealth(change))
    else if (change.to === 'healthy') notices.info(describeHealth(change))
  }

  healthReset(channelName: string): void {
    this.#options.notices.info(`channel ${channelName}: its health was reset by an operator`)
    this.#monitor.endHealth('reset', ({ channel }) => channel === channelName)
  }

  budgetReached(reached: ReachedThreshold): void {
    this.#monitor.budgetReached(reached)
  }

  diskChanged(state: DiskState): void {
    this.#monitor.diskChanged(state)
  }

  change(next: Config): void {
    const [before, now] = [byName(this.#config.channels), byName(next.channels)]
    this.#config = next
    for (const secret of listSecrets(next)) this.#options.redactor.add(secret)
    this.#monitor.change(next.alerts)
    this.#options.sender.change(next.alerts.receivers)
    this.#monitor.endHealth(
      'changed',
      (target) => !isSameUpstreamOf(target, before.get(target.channel), now.get(target.channel)),
    )
  }

  get policy(): AlertPolicy {
    return this.#monitor.policy
  }

  flush(): Promise<void> {
    return this.#options.persistence.flush()
  }

  acknowledge(id: string, acknowledged: Acknowledgement): Alert | undefined {
    return this.#monitor.acknowledge(id, acknowledged)
  }

  mute(id: string, mute: Mute | undefined): Alert | undefined {
    return this.#monitor.mute(id, mute)
  }

  deliveryOf(receiverName: string): ReturnType<AlertControl['deliveryOf']> {
    const { sender } = this.#options
    return { waiting: sender.waitingOf(receiverName), last: sender.lastOf(receiverName) }
  }

  async test(receiverName: string): ReturnType<AlertControl['test']> {
    const { sender, clock, redactor } = this.#options
    const receiver = this.#config.alerts.receivers.find(({ name }) => name === receiverName)
    if (receiver === undefined) return undefined
    const nowMs = clock.nowMs()
    const body = writePost(createTestEvent(nowMs), receiver, this.#context(nowMs))
    const outcome = await sender.test(receiver, body)
    return outcome.type === 'sent' ? outcome : { ...outcome, reason: redactor.redact(outcome.reason) }
  }

  #report(event: AlertEvent): void {
    const { metrics, sender, clock } = this.#options
    const { alert } = event
    this.#log(event)
    metrics.alerts.reported({ kind: alert.kind, severity: alert.severity, event: event.type })
    const nowMs = clock.nowMs()
    // An alert that was reported before it was muted is also closed at its receivers.
    const wasReported = event.type === 'resolved' && (alert.mute?.atMs ?? Infinity) > alert.openedAtMs
    if (isMuted(alert, nowMs) && !wasReported) return
    for (const receiver of this.#config.alerts.receivers)
      if (wantsEvent(receiver, event))
        sender.send(receiver, (current) => writePost(event, current, this.#context(nowMs)))
  }

  #log({ type, alert }: AlertEvent): void {
    const { notices } = this.#options
    const advice = type === 'resolved' || alert.advice === undefined ? '' : `. ${alert.advice}`
    const line = `${messageOf(alert)}${advice}`
    if (type === 'resolved') notices.info(line)
    else if (alert.severity === 'critical' && alert.kind !== 'budget') notices.error(line)
    else notices.warn(line)
  }

  #context(nowMs: number) {
    const { publicUrl } = this.#config
    return { nowMs, source: publicUrl === undefined ? 'headgate' : new URL(publicUrl).host }
  }

  /** The warning is logged once. The open alerts show the cause. */
  #warnOfOverflow(): void {
    if (this.#hasOverflown) return
    this.#hasOverflown = true
    this.#options.warn(
      'as many alerts are open as there may be; no further one is opened until some are over',
    )
  }
}

function openSender(
  options: Omit<Parameters<typeof createAlertSender>[0], 'post' | 'random'>,
  cleanup: AsyncDisposableStack,
): AlertSender {
  // Alerts have their own connection pools, so that they never delay a request.
  const upstream = openUpstream()
  cleanup.defer(() => upstream.close())
  const sender = createAlertSender({
    ...options,
    random: systemRandom,
    async post({ receiver: { url, allowPrivate }, headers, body }, signal) {
      const sent = { url, headers, body, connectTimeoutMs: CONNECT_TIMEOUT_MS, allowPrivate }
      try {
        return await postJson(upstream, sent, signal)
      } catch (cause) {
        if (cause instanceof UpstreamCallError) throw new NoAnswerError(cause.message, cause.kind, { cause })
        throw cause
      }
    },
  })
  cleanup.defer(() => sender.close())
  return sender
}

function byName(channels: readonly Channel[]): ReadonlyMap<string, Channel> {
  return new Map(channels.map((channel) => [channel.name, channel]))
}
