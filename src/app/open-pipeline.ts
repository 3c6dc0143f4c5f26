// The pipeline with its parts, and the change to another configuration while requests are in flight.

import type { Authenticator } from '../access/authenticator.ts'
import type { HealthSource } from '../admin/health-routes.ts'
import type { Captures } from '../capture/captures.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { redactListFault } from '../catalog/list-fault.ts'
import type { Config } from '../config/config.ts'
import type { JsonObject } from '../kit/json/json.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { ReportFault } from '../kit/time/clock.ts'
import { BatchPoller } from '../pipeline/batches/batch-poller.ts'
import { lookAtBatch } from '../pipeline/batches/follow-batch.ts'
import type { CallerAccess } from '../pipeline/caller-access.ts'
import { explainPlan } from '../pipeline/describe-route.ts'
import { AnswerBudget, AnswerTurns } from '../pipeline/exchange/answer-budget.ts'
import type { OperationRequest } from '../pipeline/exchange/caller-request.ts'
import { MediaBudget } from '../pipeline/exchange/media-budget.ts'
import type { Gateway } from '../pipeline/gateway.ts'
import { type CheckReport, createHealthChecker } from '../pipeline/health-checker.ts'
import { lookAtMessageBatch } from '../pipeline/message-objects/follow-message-batch.ts'
import type { RealtimeGateway } from '../pipeline/realtime/realtime-gateway.ts'
import { ReasoningCache } from '../pipeline/reasoning/reasoning-cache.ts'
import { createReasoningSeal } from '../pipeline/reasoning/reasoning-seal.ts'
import type { DeadlineWatch } from '../pipeline/response/deadline-watch.ts'
import { createServe, type Serve } from '../pipeline/serve.ts'
import type { ProviderRegistry } from '../providers/provider.ts'
import type { HealthChange } from '../routing/health/health-report.ts'
import type { OpenedSealedStores } from '../storage/open-key-store.ts'
import { IdempotentCalls } from '../stored-answers/idempotent-calls.ts'
import { StoredResponses } from '../stored-answers/stored-responses.ts'
import type { Observer } from '../telemetry/observer.ts'
import { type LastingGateway, LiveConfiguration } from './live-configuration.ts'
import { createHealthSource } from './monitoring/health-source.ts'
import type { Metering } from './open-metering.ts'
import { openRealtimeGateway } from './open-realtime-gateway.ts'
import { type OpenedRoutingState, openRoutingState, type RoutingStateOptions } from './open-routing-state.ts'
import {
  openUpstreamAccess,
  type UpstreamAccess,
  type UpstreamAccessOptions,
} from './open-upstream-access.ts'
import type { PreparedCatalog, ServedCatalog } from './serve-catalog.ts'
import type { Peers } from './workers/find-peers.ts'
import { shareHealth } from './workers/share-health.ts'
import { shareReasoning } from './workers/share-reasoning.ts'

export interface RequestPipeline {
  readonly catalog: ServedCatalog
  readonly callerAccess: CallerAccess
  readonly serve: Serve
  readonly realtime: RealtimeGateway
  /** Explains the current route of a request. */
  explain(request: OperationRequest): Promise<JsonObject>
  /** Whether requests can be served, by the state of the ledger. */
  isReady(): boolean
  /** Prepares another configuration. No part of it takes effect before it is applied. */
  prepare(config: Config): Promise<PreparedCatalog>
  readonly health: HealthSource
  /** The catalog that another configuration would serve. */
  preview(config: Config): Catalog
  /** Serves one channel of a configuration that is not in force, to try it out. The caller must close its catalog. */
  serveApart(config: Config, channelName: string): Promise<ServedApart>
  readonly providers: ProviderRegistry
  /** Removes the secrets of this installation from a text. */
  redact(text: string): string
}

/** A channel that callers cannot reach. */
export interface ServedApart extends Pick<RequestPipeline, 'serve' | 'catalog'> {
  /** Removes the secrets of this installation and of the configuration from a text. */
  redact(text: string): string
}

export interface PipelineOptions extends UpstreamAccessOptions, RoutingStateOptions {
  /** Undefined if this is the only process. */
  readonly peers?: Peers | undefined
  /** The secret from which the key is derived that seals data in the hands of callers. */
  readonly secret: string
  readonly formats: Gateway['formats']
  readonly observer: Observer
  readonly authenticator: Authenticator
  readonly watch: DeadlineWatch
  readonly onHealthReset: (channelName: string) => void
  /** Called for health changes that another process observed. */
  readonly onOthersHealthChange?: (change: HealthChange) => void
  /** Called for each active health check. */
  readonly onHealthCheck: (report: CheckReport) => void
  readonly reportFault: ReportFault
  readonly sealedStores: Pick<OpenedSealedStores, 'storedResponses' | 'idempotency' | 'remoteObjects'>
  readonly captures: Captures
  readonly metering: Pick<Metering, 'spendingFor' | 'recover' | 'keyUsage' | 'corrections'>
}

export async function openPipeline(
  options: PipelineOptions,
  cleanup: AsyncDisposableStack,
): Promise<RequestPipeline> {
  const { config, authenticator } = options
  const access = openUpstreamAccess(options, cleanup)
  const { catalog } = access
  const objects = openObjects(options, cleanup)
  const routing = await openRoutingState(options, catalog, cleanup)
  const answerRoom = { heldAnswerBytes: config.limits.heldAnswerBytes }
  const lasting = assemble(options, access, {
    ...objects,
    routingState: routing.state,
    answerBudget: new AnswerBudget(answerRoom, options.deadBuffers),
  })
  const checker = createChecker(options, { access, routing, lasting }, cleanup)
  if (options.peers !== undefined) shareState(options.peers, options, { access, routing, lasting })
  const { queueFor } = routing
  const { spendingFor, keyUsage } = options.metering
  const live = new LiveConfiguration(config, { lasting, queueFor, spendingFor, authenticator, keyUsage })
  startPoller(options, live, cleanup)

  async function prepare(next: Config): Promise<PreparedCatalog> {
    const prepared = await access.prepare(next)
    return {
      apply() {
        prepared.apply()
        answerRoom.heldAnswerBytes = next.limits.heldAnswerBytes
        live.apply(next)
        objects.storedResponses.change(next.storedResponses)
        objects.idempotentCalls.change(next.idempotency)
        routing.keepOnly(next.channels)
        checker.change(catalog.current().channels)
      },
      drop: prepared.drop,
    }
  }

  const first = await prepare(config)
  first.apply()
  await options.metering.recover(catalog)
  return {
    catalog,
    callerAccess: live,
    serve: createServe(live),
    realtime: openRealtimeGateway(live, options),
    explain: (request) => explainPlan(request, live.gateway),
    isReady: () => live.gateway.spending.isOpen,
    prepare,
    health: describeHealth(options, { access, routing, checker, queue: () => live.gateway.queue }),
    preview: catalog.preview.bind(catalog),
    serveApart: (next, channelName) => serveApart(next, channelName, { access, live }),
    providers: access.providers,
    redact: (text) => access.redactor.redact(text),
  }
}

interface ApartParts {
  readonly access: UpstreamAccess
  readonly live: Pick<LiveConfiguration, 'gateway'>
}

async function serveApart(
  config: Config,
  channelName: string,
  { access, live }: ApartParts,
): Promise<ServedApart> {
  const { catalog, redactor } = await access.openApart(config, channelName)
  const gateway: Gateway = { ...live.gateway, catalog, redactor }
  return { serve: createServe({ gateway }), catalog, redact: (text) => redactor.redact(text) }
}

function startPoller(
  { sealedStores: { remoteObjects }, clock, warn, peers }: PipelineOptions,
  live: LiveConfiguration,
  cleanup: AsyncDisposableStack,
): void {
  const looks = { batch: lookAtBatch, 'message-batch': lookAtMessageBatch }
  const settings = { looks, remoteObjects, clock, warn, isMine: peers?.isMine ?? (() => true) }
  const poller = new BatchPoller({ ...settings, dependencies: () => live.gateway })
  cleanup.defer(() => poller.close())
}

/** Shares the findings of this process with the others, and applies theirs. */
function shareState(
  { bus }: Peers,
  { clock, onOthersHealthChange = () => undefined }: PipelineOptions,
  { access, routing, lasting }: LastingParts,
): void {
  shareHealth(bus, {
    tracker: routing.state.health,
    catalog: access.catalog,
    clock,
    onAdopted: routing.recordHealthChange,
    onOthersChange: onOthersHealthChange,
  })
  shareReasoning(bus, lasting.reasoningContinuity.cache)
}

/** Opens the stores of objects that outlive a request. */
function openObjects(
  { sealedStores, clock, warn, config, peers }: PipelineOptions,
  cleanup: AsyncDisposableStack,
): Pick<LastingGateway, 'storedResponses' | 'idempotentCalls'> {
  const { storedResponses: persistence, idempotency: store } = sealedStores
  const isShared = peers !== undefined
  const storedResponses = new StoredResponses({ persistence, clock, warn, isShared }, config.storedResponses)
  cleanup.defer(() => storedResponses.close())
  const idempotentCalls: LastingGateway['idempotentCalls'] = new IdempotentCalls(
    { store, clock, warn },
    config.idempotency,
  )
  cleanup.defer(() => idempotentCalls.close())
  return { storedResponses, idempotentCalls }
}

/** Creates the parts that stay the same under every configuration. */
function assemble(
  {
    formats,
    observer,
    reportFault,
    clock,
    watch,
    secret,
    captures,
    metering: { corrections },
    sealedStores: { remoteObjects },
  }: PipelineOptions,
  { catalog, providers, upstream, redactor, userAgent }: UpstreamAccess,
  opened: Pick<LastingGateway, 'storedResponses' | 'idempotentCalls' | 'routingState' | 'answerBudget'>,
): LastingGateway {
  return {
    catalog,
    providers,
    formats,
    upstream,
    observer,
    redactor,
    reportFault,
    clock,
    watch,
    userAgent,
    ...opened,
    captures,
    corrections,
    remoteObjects,
    random: systemRandom,
    answerTurns: new AnswerTurns(clock),
    mediaBudget: new MediaBudget(),
    reasoningContinuity: { seal: createReasoningSeal(secret), cache: new ReasoningCache(clock) },
  }
}

/** The opened parts that every configuration uses. */
interface LastingParts {
  readonly access: UpstreamAccess
  readonly routing: OpenedRoutingState
  readonly lasting: LastingGateway
}

function createChecker(
  { clock, onHealthCheck, peers }: PipelineOptions,
  { access, routing, lasting }: LastingParts,
  cleanup: AsyncDisposableStack,
) {
  const checker = createHealthChecker({
    gateway: { ...lasting, fetchList: access.fetchList },
    tracker: routing.state.health,
    clock,
    random: systemRandom,
    // One of several processes checks the channels, and notifies the others.
    isMine: peers?.isMine ?? (() => true),
    onChecked: onHealthCheck,
    onFreed: routing.recordHealthChange,
  })
  cleanup.defer(() => checker.close())
  return checker
}

interface HealthParts {
  readonly access: UpstreamAccess
  readonly routing: OpenedRoutingState
  readonly checker: ReturnType<typeof createChecker>
  readonly queue: () => Gateway['queue']
}

function describeHealth(
  { onHealthReset }: PipelineOptions,
  { access: { catalog, redactor }, routing, checker, queue }: HealthParts,
): HealthSource {
  return createHealthSource({
    routingState: routing.state,
    catalog,
    listFaults: () =>
      new Map(
        [...catalog.listFaults()].map(([name, fault]) => [name, redactListFault(fault, redactor.redact)]),
      ),
    queue,
    checks: checker.reports,
    onReset(channelName) {
      routing.recordHealthChange()
      onHealthReset(channelName)
    },
  })
}
