// Reports problems that need a human: a line of the log, and a POST to the webhook if there is one.

import { ActiveAlerts, type DueAlert } from '../alerts/active-alerts.ts'
import { DEFAULT_ALERT_REPEAT_MS } from '../alerts/alert-schema.ts'
import { type AlertSender, type AlertSenderOptions, createAlertSender } from '../alerts/alert-sender.ts'
import { writeBudgetAlert, writeDiskAlert, writeHealthAlert } from '../alerts/write-alert.ts'
import type { Channel } from '../catalog/channel.ts'
import { isSameUpstreamOf } from '../catalog/is-same-upstream.ts'
import type { Config } from '../config/config.ts'
import { listSecrets } from '../config/secrets/list-secrets.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { ReachedThreshold } from '../metering/budgets/reached-threshold.ts'
import type { DiskChange } from '../telemetry/disk-guard.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { NoticeLog } from '../telemetry/notice-log.ts'
import { describeHealth, type ObservedHealthChange } from '../telemetry/observed-health-change.ts'
import { createRedactor, type Redactor } from '../telemetry/redact.ts'
import { openUpstream } from '../upstream/open-upstream.ts'
import { postJson } from '../upstream/post-json.ts'

export interface Alerts {
  healthChanged(change: ObservedHealthChange): void
  /** Called when an operator has reset a channel's health. */
  healthReset(channelName: string): void
  /** Called when a share of a budget is spent. */
  budgetReached(reached: ReachedThreshold): void
  diskChanged(change: DiskChange): void
  change(config: Config): void
}

export interface AlertsOptions {
  readonly config: Config
  readonly notices: NoticeLog
  readonly metrics: Metrics
  readonly clock: Clock
}

const CONNECT_TIMEOUT_MS = 5_000

export function startAlerts(
  { config, notices, metrics, clock }: AlertsOptions,
  cleanup: AsyncDisposableStack,
): Alerts {
  const redactor = createRedactor(listSecrets(config))
  const warn = (message: string) => notices.warn(redactor.redact(message))
  const sender = openSender({ clock, count: metrics.alertEnded, warn }, cleanup)
  return new OperatorAlerts(config, { sender, notices, redactor, clock })
}

interface OperatorAlertOptions {
  readonly sender: AlertSender
  readonly notices: NoticeLog
  readonly redactor: Redactor
  readonly clock: Clock
}

class OperatorAlerts implements Alerts {
  readonly #options: OperatorAlertOptions
  readonly #active = new ActiveAlerts()
  #policy: Config['alerts']
  #channels: ReadonlyMap<string, Channel>

  constructor(config: Config, options: OperatorAlertOptions) {
    this.#policy = config.alerts
    this.#channels = byName(config.channels)
    this.#options = options
  }

  healthChanged(change: ObservedHealthChange): void {
    const { notices, clock } = this.#options
    const nowMs = clock.nowMs()
    const due = this.#active.judge(change, nowMs, this.#policy?.repeatMs ?? DEFAULT_ALERT_REPEAT_MS)
    if (due !== undefined) this.#emit(change, due)
    else if (change.to === 'open') notices.warn(describeHealth(change))
    else if (change.to === 'healthy') notices.info(describeHealth(change))
  }

  healthReset(channelName: string): void {
    this.#options.notices.info(`channel ${channelName}: its health was reset by an operator`)
    this.#forget('reset', ({ channel }) => channel === channelName)
  }

  budgetReached(reached: ReachedThreshold): void {
    const { notices, redactor, clock } = this.#options
    const { line, body } = writeBudgetAlert(reached, clock.nowMs())
    notices.warn(redactor.redact(line))
    this.#send(body)
  }

  diskChanged(change: DiskChange): void {
    const { notices, clock } = this.#options
    const { line, body } = writeDiskAlert(change, clock.nowMs())
    const log = change.to === 'ample' ? notices.info : notices.error
    log(line)
    this.#send(body)
  }

  change(next: Config): void {
    this.#policy = next.alerts
    const [before, now] = [this.#channels, byName(next.channels)]
    const isReplaced = (change: ObservedHealthChange) =>
      !isSameUpstreamOf(change, before.get(change.channel), now.get(change.channel))
    this.#forget('replaced', isReplaced)
    this.#channels = now
    for (const secret of listSecrets(next)) this.#options.redactor.add(secret)
  }

  #emit(change: ObservedHealthChange, due: DueAlert): void {
    const { notices, redactor, clock } = this.#options
    const { line, body } = writeHealthAlert(change, due, clock.nowMs())
    const log = due.status === 'impaired' ? notices.error : notices.info
    log(redactor.redact(line))
    this.#send(body)
  }

  #send(body: string): void {
    const { sender, redactor } = this.#options
    if (this.#policy !== undefined) sender.send(this.#policy, redactor.redact(body))
  }

  #forget(status: 'reset' | 'replaced', isForgotten: (change: ObservedHealthChange) => boolean): void {
    for (const { change, sinceMs } of this.#active.forget(isForgotten)) {
      this.#emit(change, { status, sinceMs })
    }
  }
}

function openSender(
  options: Omit<AlertSenderOptions, 'post' | 'random'>,
  cleanup: AsyncDisposableStack,
): AlertSender {
  // Alerts have pools of their own, so that none delays a request.
  const upstream = openUpstream()
  cleanup.defer(() => upstream.close())
  const sender = createAlertSender({
    ...options,
    random: systemRandom,
    post: ({ policy: { webhook, allowPrivate }, headers, body }, signal) =>
      postJson(
        upstream,
        { url: webhook, headers, body, connectTimeoutMs: CONNECT_TIMEOUT_MS, allowPrivate },
        signal,
      ),
  })
  cleanup.defer(() => sender.close())
  return sender
}

function byName(channels: readonly Channel[]): ReadonlyMap<string, Channel> {
  return new Map(channels.map((channel) => [channel.name, channel]))
}
