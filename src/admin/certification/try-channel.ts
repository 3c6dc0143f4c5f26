import type { GatewayError } from '../../canonical/failure.ts'
import { addAmounts, type NanoDollars } from '../../canonical/money.ts'
import { refuse } from '../../canonical/refusal.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import type { Channel } from '../../catalog/channel.ts'
import type { ListFault } from '../../catalog/list-fault.ts'
import type { Config } from '../../config/config.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { listsModels, type ProviderRegistry } from '../../providers/provider.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import type { ConfigOperations } from '../config/config-operations.ts'
import { createObjectEditor } from '../config/edit-object.ts'
import type { LiveConfig } from '../config/live-config.ts'
import { objectKinds } from '../config/object-kind.ts'
import { planDocument, withConfigErrors } from '../config/plan-document.ts'
import type { CallChannel } from './call-channel.ts'
import type { CheckName } from './certification-contract.ts'
import type { CheckResult } from './certification-store.ts'
import { allChecks } from './checks/all-checks.ts'
import { type CertifiedModel, findCertifiedModels } from './find-certified-models.ts'
import type { CertificationAuthor } from './manage-certifications.ts'
import { runCheck } from './run-check.ts'
import { type ChannelTrial, MAX_TRIED_NAMES } from './trial-contract.ts'
import { viewDollars, viewResult } from './view-certification.ts'

/** A channel outside the catalog, which serves only its trial. */
export interface ChannelApart extends Disposable {
  readonly catalog: Catalog
  /** Undefined if the provider's list of models could be read. */
  readonly listFault: ListFault | undefined
  readonly call: CallChannel
  /** Removes the secrets of this installation and of the channel from a text. */
  readonly redact: (text: string) => string
}

/** Opens a channel of a configuration that is not in force, by the rules for channels in force. */
export type ServeChannelApart = (config: Config, channelName: string) => Promise<ChannelApart>

export interface TrialRequest {
  /** The channel to create, with secrets in plain text. If `changed` is given, the change of that channel. */
  readonly object: JsonObject
  readonly changed: string | undefined
  readonly model: string | undefined
  readonly by: CertificationAuthor
  readonly signal: AbortSignal
}

export interface TrialOptions {
  readonly liveConfig: Pick<LiveConfig, 'state' | 'join'>
  readonly registry: ProviderRegistry
  readonly serveApart: ServeChannelApart
  readonly audit: Pick<AuditStore, 'append'>
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>
  /** A word that no model says by itself, another each time. */
  readonly createWord: () => string
}

/** Tests a channel that is not saved: its provider's list of models, and one short conversation. Nothing is stored. */
export type TryChannel = (request: TrialRequest) => Promise<ChannelTrial>

export function createTryChannel(options: TrialOptions): TryChannel {
  return async (request) => {
    const { config, name } = await planChannel(request, options)
    const channel = config.channels.find((each) => each.name === name)
    if (channel === undefined) throw noChannel()
    const { model, by } = request
    await options.audit.append({
      ...by.actor,
      action: 'channel.try',
      subject: name,
      details: [`provider: ${channel.provider}`, ...(model === undefined ? [] : [`model: ${model}`])],
      atMs: options.clock.nowMs(),
    })
    using apart = await options.serveApart(config, name)
    return await tryApart(apart, { ...request, channel }, options)
  }
}

/** A channel that is disabled is in no configuration. */
function noChannel(): GatewayError {
  const message = '"disabled": a channel that is disabled cannot be tried.'
  return refuse('invalid_field', {
    param: 'disabled',
    message,
    fact: { code: 'disabled_channel', values: {} },
  })
}

interface PlannedChannel {
  readonly config: Config
  readonly name: string
}

/** Validates the channel in the same way as creating or changing it, and stores nothing. */
async function planChannel(
  { object, changed, by }: TrialRequest,
  { liveConfig, registry }: TrialOptions,
): Promise<PlannedChannel> {
  let config = liveConfig.state().config
  const edit: ConfigOperations['edit'] = (change) =>
    withConfigErrors(async () => {
      const state = liveConfig.state()
      const document = planDocument(change, { document: state.newest.document, state }, registry)
      config = (await liveConfig.join(document)).config
      return state
    })
  const editor = createObjectEditor(objectKinds.channels, { edit })
  if (changed === undefined) await editor.create(object, by.actor)
  // A disabled channel is tested before it is enabled again.
  else await editor.patch(changed, { disabled: false, ...object }, by.actor)
  return { config, name: changed ?? String(object['name']) }
}

async function tryApart(
  apart: ChannelApart,
  { model, signal, by, channel }: TrialRequest & { readonly channel: Channel },
  options: TrialOptions,
): Promise<ChannelTrial> {
  const { catalog, listFault } = apart
  const isListed = channel.models.type === 'listed'
  const provider = options.registry.find(channel.provider)
  const hasList = isListed && provider !== undefined && listsModels(provider)
  const requestedModel = model ?? (hasList ? undefined : firstNameOf(channel, catalog))
  const [certified] =
    listFault === undefined && requestedModel !== undefined
      ? findCertifiedModels(catalog, channel.name, requestedModel)
      : []
  const tried = certified === undefined ? untried : await ask(apart, { certified, signal, by }, options)
  const answers = tried.results.some(({ outcome }) => outcome === 'works')
  const names = catalog.models.map(({ name }) => name)
  const isKeyShown = hasList && listFault === undefined && provider.modelListNeedsKey === true
  return {
    works: listFault === undefined && (certified === undefined ? hasList : answers),
    model_list: hasList ? viewList(listFault) : null,
    models: names.slice(0, MAX_TRIED_NAMES),
    more_models: Math.max(0, names.length - MAX_TRIED_NAMES),
    model: certified?.model ?? null,
    results: tried.results.map(viewResult),
    credential_accepted: channel.credentials.length > 0 && (answers || isKeyShown),
    cost_usd: viewDollars(tried.cost),
  }
}

function viewList(fault: ListFault | undefined): ChannelTrial['model_list'] {
  return { read: fault === undefined, reason: fault?.message ?? null, fact: fault?.fact ?? null }
}

/** The first configured name, or else the first of the models that are known of its provider. */
function firstNameOf({ models }: Channel, catalog: Catalog): string | undefined {
  return models.type === 'named' ? [...models.upstreamNames.keys()][0] : catalog.models[0]?.name
}

interface TriedModel {
  readonly results: readonly CheckResult[]
  readonly cost: NanoDollars | undefined
}

const untried: TriedModel = { results: [], cost: undefined }

interface ModelTrial extends Pick<TrialRequest, 'by' | 'signal'> {
  readonly certified: CertifiedModel
}

/**
 * Holds a conversation in the same way as a certification. A model that refuses it may still be an embeddings model.
 */
async function ask(
  { call, redact }: ChannelApart,
  { certified: { model, target }, by, signal }: ModelTrial,
  { clock, createWord }: TrialOptions,
): Promise<TriedModel> {
  const { upstreamModel, channel } = target
  const callContext = {
    target: { channel: channel.name, model, upstreamModel },
    operator: by.operator,
    signal,
  }
  const context = { word: createWord(), upstreamModel }
  const run = (name: CheckName) =>
    runCheck({ check: allChecks[name], context, ...callContext }, { call, clock, redact })
  const chat = await run('chat')
  if (chat.result.finding !== 'refused') return { results: [chat.result], cost: chat.cost }
  const vectors = await run('embeddings')
  return { results: [chat.result, vectors.result], cost: sumCosts(chat.cost, vectors.cost) }
}

function sumCosts(first: NanoDollars | undefined, second: NanoDollars | undefined): NanoDollars | undefined {
  return second === undefined ? first : addAmounts(first, second)
}
