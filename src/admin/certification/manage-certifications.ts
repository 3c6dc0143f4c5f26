import type { Actor } from '../../canonical/audit.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { nanoDollarsOf } from '../../canonical/money.ts'
import { refuse } from '../../canonical/refusal.ts'
import type { CatalogSource } from '../../catalog/catalog.ts'
import { createCertificationId } from '../../kit/random/ids.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { AuditStore } from '../audit/audit-store.ts'
import type { CertifyingOperator } from './call-channel.ts'
import {
  type CertificationList,
  type CertificationPlan,
  type CertificationView,
  type CertifyInput,
  type CheckName,
  checkNames,
  type ListCertifications,
  MAX_CERTIFIED_MODELS,
} from './certification-contract.ts'
import type { CertificationOrder, CertificationRunner } from './certification-runner.ts'
import type { Certification, CertificationStore } from './certification-store.ts'
import { type CertifiedModel, findCertifiedModels, listCertifiedModels } from './find-certified-models.ts'
import { boundCosts, countRequests } from './plan-cost.ts'
import { isCertifying, viewCertification, viewDollars } from './view-certification.ts'

export interface CertificationOperations {
  /** Plans what a certification would send, and what it can cost. */
  plan(channel: string, input: Pick<CertifyInput, 'model' | 'checks'>): CertificationPlan
  /** Starts one certification for each model, in the background. */
  start(channel: string, input: CertifyInput, by: CertificationAuthor): Promise<CertificationList>
  list(query: ListCertifications): Promise<CertificationList>
  get(id: string): Promise<CertificationView>
  cancel(id: string): Promise<CertificationView>
}

export interface CertificationAuthor {
  readonly actor: Actor
  readonly operator: CertifyingOperator
}

export interface CertificationOptions {
  readonly catalog: CatalogSource
  readonly store: CertificationStore
  readonly runner: Pick<CertificationRunner, 'start' | 'cancel'>
  readonly audit: Pick<AuditStore, 'append'>
  readonly clock: Pick<Clock, 'nowMs'>
}

const DEFAULT_LIMIT = 50
/** The number of a channel's models of which the newest certification is read. */
const MAX_LISTED = 1_000

export function createCertificationOperations(options: CertificationOptions): CertificationOperations {
  const { catalog, store, runner, clock } = options
  const get = async (id: string) => {
    const found = await store.find(id)
    if (found === undefined) throw new GatewayError('certification_not_found')
    return viewCertification(found, clock.nowMs())
  }
  return {
    plan(channel, { model, checks = checkNames }) {
      // A page requests a plan before it knows whether there are models to test.
      const find = model === undefined ? listCertifiedModels : findCertifiedModels
      const models = find(catalog.current(), channel, model)
      return viewPlan(models, sortChecks(checks), clock.nowMs())
    },
    start: (channel, input, by) => startAll(channel, input, { ...options, by }),
    async list({ channel, model, newest, before, limit = DEFAULT_LIMIT }) {
      const query = { channel, model, before, isNewest: newest === 'true' }
      const found = await store.list({ ...query, limit: limit + 1 })
      const shown = found.slice(0, limit)
      return {
        data: shown.map((each) => viewCertification(each, clock.nowMs())),
        next_before: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
      }
    },
    get,
    async cancel(id) {
      await get(id)
      await store.cancel(id, clock.nowMs())
      runner.cancel(id)
      return get(id)
    },
  }
}

function sortChecks(checks: readonly CheckName[]): readonly CheckName[] {
  return checkNames.filter((name) => checks.includes(name))
}

function viewPlan(
  models: readonly CertifiedModel[],
  checks: readonly CheckName[],
  nowMs: number,
): CertificationPlan {
  const planned = models.map(({ model, target }) => ({
    model,
    upstream_model: target.upstreamModel,
    requests: countRequests(checks),
    estimated_cost_usd: viewDollars(boundCosts(target, checks, nowMs)),
  }))
  const costs = planned.map((each) => each.estimated_cost_usd)
  const isKnown = costs.every((cost) => cost !== null)
  return {
    models: planned,
    requests: planned.reduce((sum, { requests }) => sum + requests, 0),
    estimated_cost_usd: isKnown ? costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0) : null,
  }
}

async function startAll(
  channel: string,
  { model, checks = checkNames, max_cost_usd: maxUsd }: CertifyInput,
  { by, ...options }: CertificationOptions & { readonly by: CertificationAuthor },
): Promise<CertificationList> {
  const { catalog, store, runner, audit, clock } = options
  const models = findCertifiedModels(catalog.current(), channel, model)
  refuseTooMany(models)
  const nowMs = clock.nowMs()
  await refuseOpen(channel, models, { store, nowMs })
  const maxCost = maxUsd === undefined ? undefined : nanoDollarsOf(maxUsd)
  const orders = models.map((certified): CertificationOrder => {
    const certification = open(channel, certified, { checks: sortChecks(checks), nowMs, by })
    return { certification, target: certified.target, operator: by.operator, maxCost }
  })
  for (const { certification } of orders) await store.add(certification)
  const details = models.map((each) => `model: ${each.model}`)
  await audit.append({ ...by.actor, action: 'channel.certify', subject: channel, details, atMs: nowMs })
  for (const order of orders) runner.start(order)
  return {
    data: orders.map(({ certification }) => viewCertification(certification, nowMs)),
    next_before: null,
  }
}

interface Opening {
  readonly checks: readonly CheckName[]
  readonly nowMs: number
  readonly by: CertificationAuthor
}

function open(
  channel: string,
  { model, target }: CertifiedModel,
  { checks, nowMs, by }: Opening,
): Certification {
  return {
    id: createCertificationId(nowMs),
    channel,
    model,
    checks,
    upstreamModel: target.upstreamModel,
    state: 'queued',
    author: by.actor.author,
    startedAtMs: nowMs,
    endedAtMs: undefined,
    updatedAtMs: nowMs,
    results: [],
    estimatedCost: boundCosts(target, checks, nowMs),
    cost: undefined,
  }
}

function refuseTooMany(models: readonly CertifiedModel[]): void {
  if (models.length <= MAX_CERTIFIED_MODELS) return
  throw refuse('invalid_field', {
    param: 'model',
    message: `"model": the channel serves ${models.length} models, and one request certifies ${MAX_CERTIFIED_MODELS} at most. Name one.`,
    fact: { code: 'models_over_limit', values: { count: models.length, maximum: MAX_CERTIFIED_MODELS } },
  })
}

/** Refuses to test a model that is being tested, by whichever process. */
async function refuseOpen(
  channel: string,
  models: readonly CertifiedModel[],
  { store, nowMs }: Pick<CertificationOptions, 'store'> & { readonly nowMs: number },
): Promise<void> {
  const query = { channel, model: undefined, before: undefined, isNewest: true }
  const newest = await store.list({ ...query, limit: MAX_LISTED })
  const names = new Set(models.map(({ target }) => target.upstreamModel))
  if (newest.some((each) => names.has(each.upstreamModel) && isCertifying(each, nowMs)))
    throw new GatewayError('certification_in_progress', { param: 'model' })
}
