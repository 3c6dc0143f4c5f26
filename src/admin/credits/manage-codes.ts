import { usdOf } from '../../access/limits/usd-schema.ts'
import type { Actor } from '../../canonical/audit.ts'
import { writeDollars } from '../../canonical/money.ts'
import { refuse } from '../../canonical/refusal.ts'
import { brand } from '../../kit/brand.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { Random } from '../../kit/random/random.ts'
import { unknownName } from '../../kit/schema/input-fact.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { writeDuration } from '../../kit/time/write-duration.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import { writeScope } from '../../metering/budget.ts'
import type {
  CodeId,
  CreditStore,
  RedeemResult,
  RedemptionCode,
  StoredCode,
} from '../../metering/credit-store.ts'
import { hintOfCode, makeCode, normalizeCode } from '../../metering/credits/redemption-code.ts'
import { viewAuthor } from '../audit/view-actor.ts'
import { readExpiry } from '../expiry-schema.ts'
import { readInput } from '../read-input.ts'
import {
  type CodeList,
  type CodeView,
  type CreateCodes,
  type CreatedCodes,
  type CreditView,
  DEFAULT_CODE_REASON,
  type ListCodes,
  type RedeemCode,
  type RevokedCode,
} from './credit-contract.ts'
import type { CreditControl } from './credit-control.ts'
import {
  createCodesSchema,
  listCodesSchema,
  MAX_CODE_WORTH,
  redeemCodeSchema,
} from './credit-input-schema.ts'
import { findOwner, type OwnerDirectory, writeOwner } from './credit-owner.ts'
import type { GrantBound } from './grant-bound.ts'
import { createGrantId, viewCredit } from './manage-credits.ts'

/** The operations on redemption codes. */
export interface CodeOperations {
  /** Lists the newest first. */
  list(page: ListCodes): Promise<CodeList>
  create(input: CreateCodes, by: Actor): Promise<CreatedCodes>
  redeem(input: RedeemCode, by: Actor): Promise<CreditView>
  /** Revokes a code permanently. A redeemed code stays redeemed. */
  revoke(id: string, by: Actor): Promise<RevokedCode>
}

export interface CodeOperationOptions {
  readonly control: CreditControl
  readonly bound: GrantBound
  readonly directory: OwnerDirectory
  readonly store: Pick<CreditStore, 'addCodes' | 'redeem' | 'revokeCode' | 'listCodes'>
  /** The only form in which a code is stored. */
  readonly digest: (code: string) => string
  readonly clock: Clock
  readonly random: Random
}

const DEFAULT_LIMIT = 50

export function createCodeOperations(options: CodeOperationOptions): CodeOperations {
  const { store, clock } = options
  return {
    async list(input) {
      const { limit = DEFAULT_LIMIT, before } = readInput(listCodesSchema, input)
      const { codes, next } = await store.listCodes({
        limit,
        ...(before !== undefined && { before: Number(before) }),
      })
      const nowMs = clock.nowMs()
      const findOwnerOf = createOwnerFinder(options)
      return {
        data: codes.map((code) => viewCode(code, nowMs, findOwnerOf(code))),
        next_before: next ?? null,
      }
    },
    create: (input, by) => createCodes(input, by, options),
    redeem: (input, by) => redeemCode(input, by, options),
    async revoke(id, by) {
      const code = brand<CodeId>(id)
      const record = { ...by, action: 'codes.revoke', subject: id, details: [], atMs: clock.nowMs() } as const
      if (await store.revokeCode(code, record)) return { id, state: 'revoked' }
      const message = `There is no code ${JSON.stringify(id)} that could still be redeemed. "headgate codes list" lists the codes.`
      throw refuse('config_object_not_found', {
        param: 'id',
        message,
        fact: unknownName('open_code', id, undefined),
      })
    },
  }
}

async function createCodes(
  input: CreateCodes,
  by: Actor,
  { store, clock, random, digest }: CodeOperationOptions,
): Promise<CreatedCodes> {
  const order = readInput(createCodesSchema, input)
  const { amount_usd: amount, count = 1, reason = DEFAULT_CODE_REASON, credit_life: creditLifeMs } = order
  const atMs = clock.nowMs()
  const expiresAtMs = readExpiry(order.expires_at, atMs, 'expires_at')
  const made = Array.from({ length: count }, () => {
    const secret = makeCode(random)
    const code: RedemptionCode = {
      id: brand<CodeId>(`code_${random.bytes(12).toString('hex')}`),
      digest: digest(normalizeCode(secret)),
      hint: hintOfCode(secret),
      amount,
      reason,
      author: by.author,
      atMs,
      expiresAtMs,
      creditLifeMs,
    }
    return { secret, code }
  })
  const codes = made.map(({ code }) => code)
  const total = `${count} of ${writeDollars(amount)} US dollars each`
  const details = [total, `reason: ${reason}`, ...codes.map(({ id, hint }) => `${id}: ${hint}…`)]
  await store.addCodes(codes, { ...by, action: 'codes.create', subject: codes[0]?.id ?? '', details, atMs })
  return {
    data: made.map(({ secret, code }) => ({
      ...viewCode({ ...code, state: { type: 'open' } }, atMs, undefined),
      code: secret,
    })),
  }
}

const refusals: Readonly<Record<Extract<RedeemResult, { type: 'refused' }>['reason'], string>> = {
  unknown: 'There is no such code. Check each character.',
  redeemed: 'This code was redeemed already. Each gives its credit once.',
  revoked: 'This code was revoked.',
  expired: 'This code has expired.',
}

async function redeemCode(
  input: RedeemCode,
  by: Actor,
  { store, clock, random, digest, control, bound, directory }: CodeOperationOptions,
): Promise<CreditView> {
  const { code, ...named } = readInput(redeemCodeSchema, input)
  const scope = findOwner(named, directory)
  if (scope === undefined) throw new InvariantError('the schema lets a code without an owner pass')
  const atMs = clock.nowMs()
  const id = createGrantId(random)
  const subject = writeScope(scope)
  const details = [`to: ${writeOwner(scope, directory)}`, `code: ${hintOfCode(code)}…`, `grant: ${id}`]
  const redemption = { digest: digest(normalizeCode(code)), grant: { id, scope, author: by.author, atMs } }
  const record = { ...by, action: 'codes.redeem', subject, details, atMs } as const
  // The amount is known only after the code is redeemed, so the maximum is reserved.
  await bound.reserve({ scope, amount: MAX_CODE_WORTH }, async () => {
    const result = await store.redeem(redemption, record)
    if (result.type === 'refused')
      throw refuse('code_not_redeemable', {
        param: 'code',
        message: refusals[result.reason],
        fact: { code: `code_${result.reason}`, values: {} },
      })
    control.add(result.grant)
  })
  return viewCredit(control.creditOf(scope), { control, directory })
}

/** Finds the owner of a redeemed code through the grant that redeeming made. */
function createOwnerFinder({ control, directory }: Pick<CodeOperationOptions, 'control' | 'directory'>) {
  const scopes = new Map(
    control.credits().flatMap(({ grants }) => grants.map(({ id, scope }) => [id, scope])),
  )
  return ({ state }: StoredCode): string | undefined => {
    const scope = state.type === 'redeemed' ? scopes.get(state.grantId) : undefined
    return scope === undefined ? undefined : writeOwner(scope, directory)
  }
}

function viewCode(code: StoredCode, nowMs: number, owner: string | undefined): CodeView {
  const { state, expiresAtMs, creditLifeMs } = code
  return {
    id: code.id,
    hint: code.hint,
    amount_usd: usdOf(code.amount),
    reason: code.reason,
    author: code.author,
    author_fact: viewAuthor(code.author),
    created_at: writeTime(code.atMs),
    expires_at: writeTimeOrNull(expiresAtMs),
    credit_life: creditLifeMs === undefined ? null : writeDuration(creditLifeMs),
    state:
      state.type === 'open' && expiresAtMs !== undefined && expiresAtMs <= nowMs ? 'expired' : state.type,
    redeemed_by: owner ?? null,
    ended_at: state.type === 'open' ? null : writeTime(state.atMs),
    grant_id: state.type === 'redeemed' ? state.grantId : null,
  }
}
