import type { Authenticator } from '../access/authenticate.ts'
import { createClientAddressReader } from '../access/client-address.ts'
import type { HealthSource } from '../admin/health-routes.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Channel } from '../catalog/channel.ts'
import { isSameUpstreamOf } from '../catalog/is-same-upstream.ts'
import type { Config } from '../config/config.ts'
import { listSecrets } from '../config/secrets/list-secrets.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { ReportFault } from '../kit/time/guarded-clock.ts'
import { systemRandom } from '../kit/values/random.ts'
import type { StoredResponsePersistence } from '../objects/stored-response-persistence.ts'
import { StoredResponses } from '../objects/stored-responses.ts'
import { type CallerAccess, createCallerAccess } from '../pipeline/caller-access.ts'
import { AnswerBudget } from '../pipeline/exchange/answer-budget.ts'
import { MediaBudget } from '../pipeline/exchange/media-budget.ts'
import { createModelListFetcher } from '../pipeline/fetch-model-list.ts'
import type { Gateway } from '../pipeline/gateway.ts'
import { createHandleExchange, type HandleExchange } from '../pipeline/handle-exchange.ts'
import { type CheckReport, createHealthChecker } from '../pipeline/health-checker.ts'
import { ReasoningCache } from '../pipeline/reasoning/reasoning-cache.ts'
import { createReasoningSeal } from '../pipeline/reasoning/reasoning-seal.ts'
import { AnswerTurns } from '../pipeline/relay/answer-turns.ts'
import type { DeadlineWatch } from '../pipeline/response/deadline-watch.ts'
import { bindAuthorizers, providerRegistry } from '../providers/registry.ts'
import type { HealthChange } from '../routing/health/health-report.ts'
import type { HealthStore } from '../routing/health/health-store.ts'
import { HealthTracker } from '../routing/health/health-tracker.ts'
import { createHealthPersistence } from '../routing/health/persist-health.ts'
import { LatencyTracker } from '../routing/order/latency-tracker.ts'
import { ConcurrencyLimits } from '../routing/queue/concurrency-limits.ts'
import { createCredentialRotation } from '../routing/queue/credential-rotation.ts'
import { RequestQueue } from '../routing/queue/request-queue.ts'
import { RetryBudget } from '../routing/retry-budget.ts'
import { openDemoUpstream } from '../simulator/demo-upstream.ts'
import type { Observer } from '../telemetry/observer.ts'
import { createRedactor } from '../telemetry/redact.ts'
import { createAuthorizedUpstream } from '../upstream/authorized-upstream.ts'
import { openUpstream } from '../upstream/open-upstream.ts'
import { createAuthorizerOptions } from './create-authorizer-options.ts'
import { createHealthSource } from './health-source.ts'
import { type PreparedCatalog, type ServedCatalog, serveCatalog } from './serve-catalog.ts'

// The way of a request: who may come in, what can be served, and how it is answered; and how another configuration
// takes over while requests are under way.

export interface Way {
  readonly catalog: ServedCatalog
  readonly callerAccess: CallerAccess
  readonly handleExchange: HandleExchange
  /** Gets another configuration ready; nothing of it counts before it is taken. */
  prepare(config: Config): Promise<PreparedCatalog>
  readonly health: HealthSource
  /** What another configuration would serve. */
  preview(config: Config): Catalog
}

export interface PipelineOptions {
  readonly config: Config
  readonly version: string
  /** Tokens of this installation that came from no configuration. */
  readonly ownSecrets: readonly string[]
  /** From which the key is derived that seals what callers carry. */
  readonly secret: string
  readonly formats: Gateway['formats']
  readonly observer: Observer
  readonly authenticator: Authenticator
  readonly watch: DeadlineWatch
  /** Called when a circuit breaker of a channel, a credential or a model opens, half-opens or closes. */
  readonly onHealthChange: (change: HealthChange) => void
  readonly onHealthReset: (channelName: string) => void
  /** Told of every check of ours. */
  readonly onHealthCheck: (report: CheckReport) => void
  readonly clock: Clock
  readonly reportFault: ReportFault
  readonly healthStore: HealthStore
  readonly storedResponsePersistence: StoredResponsePersistence
  /** Tells the operator. */
  readonly warn: (message: string) => void
}

export async function openPipeline(parts: PipelineOptions, cleanup: AsyncDisposableStack): Promise<Way> {
  const { version, ownSecrets, formats, observer, authenticator, clock, reportFault } = parts
  const upstream = createAuthorizedUpstream(openUpstream())
  cleanup.defer(() => upstream.close())
  const userAgent = `headgate/${version}`
  const redactor = createRedactor(ownSecrets)
  const providers = bindAuthorizers(
    providerRegistry,
    createAuthorizerOptions({ config: parts.config, upstream, redactor, clock }),
  )
  const fetchList = createModelListFetcher({ upstream, providers, userAgent })
  const catalog = serveCatalog({
    fetchList,
    clock,
    onListFailure: (channel, reason) =>
      parts.warn(
        `channel ${channel}: its list of models could not be read (${redactor.redact(reason)}); Headgate asks again`,
      ),
  })
  cleanup.defer(() => catalog.close())
  const storedResponses = new StoredResponses(
    { persistence: parts.storedResponsePersistence, clock: clock, warn: parts.warn },
    parts.config.storedResponses,
  )
  cleanup.defer(() => storedResponses.close())
  const placeDemo = createDemoPlacer(clock, cleanup)
  const answerRoom = { heldAnswerBytes: parts.config.limits.heldAnswerBytes }
  const lasting = {
    catalog,
    providers,
    formats,
    upstream,
    observer,
    redactor,
    reportFault,
    clock,
    watch: parts.watch,
    random: systemRandom,
    userAgent,
    answerBudget: new AnswerBudget(answerRoom),
    answerTurns: new AnswerTurns(clock),
    storedResponses,
    mediaBudget: new MediaBudget(),
    reasoningContinuity: { seal: createReasoningSeal(parts.secret), kept: new ReasoningCache(clock) },
  }
  const routingState = {
    health: new HealthTracker({ random: systemRandom, onChange: noteHealth }),
    inFlight: new ConcurrencyLimits(),
    latency: new LatencyTracker(),
    budget: new RetryBudget(),
  }
  const { healthStore: store, warn } = parts
  const keeper = createHealthPersistence({ tracker: routingState.health, store, clock, warn })
  await keeper.load()
  cleanup.defer(() => keeper.close())
  const turns = createCredentialRotation()
  /** What is back may be what somebody waits for, and what is out of rotation need not be waited for. */
  function noteHealth(change: HealthChange) {
    keeper.saveSoon()
    parts.onHealthChange(change)
    line?.wake()
  }

  const checker = createHealthChecker({
    ...{ gateway: { ...lasting, fetchList }, book: routingState.health, clock, random: systemRandom },
    onChecked: parts.onHealthCheck,
    onFreed: noteFreed,
  })
  cleanup.defer(() => checker.close())
  function noteFreed() {
    keeper.saveSoon()
    line?.wake()
  }

  let line: RequestQueue | undefined
  let live = createLive(parts.config)
  cleanup.defer(() => line?.close())

  function createLive({ trustedProxies, media, retry, heartbeat, recovery, queue }: Config) {
    if (queue !== undefined) {
      // One line for good: who waits in it and who comes under another configuration want the same places.
      line ??= new RequestQueue({ policy: queue, clock })
      line.setPolicy(queue)
    }
    const usedLine = queue === undefined ? undefined : line
    return {
      line: usedLine,
      findAddress: createClientAddressReader(trustedProxies),
      handleExchange: createHandleExchange({
        ...lasting,
        media,
        retry,
        heartbeat,
        recovery,
        routingState,
        turns,
        line: usedLine,
      }),
    }
  }

  /** What is known of the address and of each key goes by itself where those are others. */
  function forgetChanged(next: readonly Channel[]) {
    for (const channel of next) {
      const before = settled.find(({ name }) => name === channel.name)
      const isChanged = before !== undefined && !isSameUpstreamOf(wholeChannel, before, channel)
      if (isChanged) routingState.health.forget(channel.name)
    }
    settled = next
  }

  async function prepare(config: Config): Promise<PreparedCatalog> {
    // Before anything is asked of an upstream, whose answer may hold them.
    for (const secret of listSecrets(config)) redactor.add(secret)
    const channels = await placeDemo(config.channels)
    const prepared = await catalog.prepare({ channels, models: config.models })
    return {
      take() {
        prepared.take()
        answerRoom.heldAnswerBytes = config.limits.heldAnswerBytes
        live = createLive(config)
        storedResponses.change(config.storedResponses)
        routingState.health.keepOnly(new Set(config.channels.map(({ name }) => name)))
        forgetChanged(config.channels)
        keeper.saveSoon()
        checker.change(catalog.current().channels)
      },
      drop: prepared.drop,
    }
  }

  let settled: readonly Channel[] = []
  const first = await prepare(parts.config)
  first.take()
  return {
    catalog,
    callerAccess: createCallerAccess({
      authenticator,
      catalog,
      findAddress: (connection) => live.findAddress(connection),
    }),
    handleExchange: (received, sink) => live.handleExchange(received, sink),
    prepare,
    health: createHealthSource({
      routingState,
      channels: () => catalog.current().channels,
      unlistedChannels: () => catalog.current().unlisted,
      listFaults: () =>
        new Map([...catalog.listFaults()].map(([name, reason]) => [name, redactor.redact(reason)])),
      line: () => live.line,
      checks: checker.reports,
      onReset(channelName) {
        keeper.saveSoon()
        parts.onHealthReset(channelName)
        line?.wake()
      },
    }),
    preview: ({ channels, models }) => catalog.preview({ channels, models }),
  }
}

const wholeChannel = { credentialId: undefined }

/** Gives the built-in provider's channels the address of a demo upstream that is started for the first of them. */
function createDemoPlacer(clock: Clock, cleanup: AsyncDisposableStack) {
  let demo: ReturnType<typeof openDemoUpstream> | undefined
  const isBuiltIn = ({ provider }: Channel) => providerRegistry.find(provider)?.builtIn === true

  async function open() {
    const opened = await openDemoUpstream({ clock })
    cleanup.defer(() => opened.close())
    return opened
  }

  return async (channels: readonly Channel[]): Promise<readonly Channel[]> => {
    if (!channels.some(isBuiltIn)) return channels
    demo ??= open()
    const { baseUrl } = await demo
    return channels.map((channel) =>
      isBuiltIn(channel) ? { ...channel, baseUrl, allowPrivate: true } : channel,
    )
  }
}
