import { usdOf } from '../../access/limits/usd-schema.ts'
import type { Reach } from '../../access/people/principal.ts'
import type { Actor } from '../../canonical/audit.ts'
import { writeDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { writeTime, writeTimeOrNull } from '../../kit/time/write-time.ts'
import { writeScope } from '../../metering/budget.ts'
import type { CreditGrant, CreditStore, GrantId } from '../../metering/credit-store.ts'
import type { CreditBudget } from '../../metering/credits/credit-budget.ts'
import { viewAuthor } from '../audit/view-actor.ts'
import { readExpiry } from '../expiry-schema.ts'
import { readListCursor, readSort, writeNextAfter } from '../paging/list-cursor.ts'
import { DEFAULT_PAGE_ROWS } from '../paging/page-fields.ts'
import { pageList } from '../paging/page-list.ts'
import { readInput } from '../read-input.ts'
import type { CreditList, CreditView, GrantCredit, GrantView, ListCredits } from './credit-contract.ts'
import type { CreditControl } from './credit-control.ts'
import { creditSorts, grantCreditSchema, listCreditsSchema } from './credit-input-schema.ts'
import {
  createCreditVisibility,
  createOwnerNamer,
  findOwner,
  type OwnerDirectory,
  writeOwner,
} from './credit-owner.ts'
import type { GrantBound } from './grant-bound.ts'

/** The operations on credits. Every promise resolves after the change is durable and applies to the next request. */
export interface CreditOperations {
  list(query: ListCredits, reach: Reach): Promise<CreditList>
  grant(input: GrantCredit, by: Actor): Promise<CreditView>
}

export interface CreditOperationOptions {
  readonly control: CreditControl
  readonly bound: GrantBound
  readonly directory: OwnerDirectory
  readonly store: Pick<CreditStore, 'addGrant'>
  readonly clock: Clock
  readonly random: Random
}

/** Makes a grant durable before it takes effect. */
export function createCreditOperations(options: CreditOperationOptions): CreditOperations {
  const { control, bound, directory, store, clock } = options
  const view = (credit: CreditBudget) => viewCredit(credit, options)
  return {
    async list(input, reach) {
      const { sort, after, limit = DEFAULT_PAGE_ROWS, ...named } = readInput(listCreditsSchema, input)
      const owner = findOwner(named, directory)
      const isShown = createCreditVisibility(reach, directory)
      const credits = owner === undefined ? control.credits() : [control.creditOf(owner)]
      await control.learnOthers(credits)
      const { by, descending } = readSort(sort, creditSorts)
      const nameOf = createOwnerNamer(directory)
      const { items, next } = pageList(
        credits.filter(({ scope }) => isShown(scope)),
        {
          sortValueOf: (credit) =>
            by === 'owner' ? nameOf(credit.scope) : control.balance(credit).remaining,
          idOf: ({ scope }) => writeScope(scope),
          descending,
          after: readListCursor(after, by === 'owner' ? 'string' : 'number'),
          limit,
        },
      )
      return { data: items.map(view), next_after: writeNextAfter(next) }
    },
    async grant(input, by) {
      const { amount_usd: amount, reason, expires_at, ...named } = readInput(grantCreditSchema, input)
      const scope = findOwner(named, directory)
      if (scope === undefined) throw new InvariantError('the schema lets a grant without an owner pass')
      const atMs = clock.nowMs()
      const expiresAtMs = readExpiry(expires_at, atMs, 'expires_at')
      const grant: CreditGrant = {
        id: createGrantId(options.random),
        scope,
        amount,
        reason,
        author: by.author,
        atMs,
        expiresAtMs,
        codeId: undefined,
      }
      const end = expiresAtMs === undefined ? [] : [`expires: ${new Date(expiresAtMs).toISOString()}`]
      const to = `to: ${writeOwner(scope, directory)}`
      const details = [to, `${writeDollars(amount)} US dollars`, `reason: ${reason}`, ...end]
      const record = { ...by, action: 'credits.grant', subject: writeScope(scope), details, atMs } as const
      await bound.reserve(grant, async () => {
        await store.addGrant(grant, record)
        control.add(grant)
      })
      const credit = control.creditOf(scope)
      await control.learnOthers([credit])
      return view(credit)
    },
  }
}

export function createGrantId(random: Random): GrantId {
  return brand<GrantId>(`grant_${random.bytes(12).toString('hex')}`)
}

export function viewCredit(
  credit: CreditBudget,
  { control, directory }: Pick<CreditOperationOptions, 'control' | 'directory'>,
): CreditView {
  const { remaining, lapsed, nextLapse } = control.balance(credit)
  const owner = writeOwner(credit.scope, directory)
  return {
    owner,
    remaining_usd: usdOf(remaining),
    lapsed_usd: usdOf(lapsed),
    next_lapse:
      nextLapse === undefined ? null : { at: writeTime(nextLapse.atMs), amount_usd: usdOf(nextLapse.amount) },
    grants: credit.grants.map((grant) => viewGrant(grant, owner)),
  }
}

function viewGrant(grant: CreditGrant, owner: string): GrantView {
  const { id, amount, reason, author, atMs, expiresAtMs, codeId } = grant
  return {
    id,
    owner,
    amount_usd: usdOf(amount),
    reason,
    author,
    author_fact: viewAuthor(author),
    at: writeTime(atMs),
    expires_at: writeTimeOrNull(expiresAtMs),
    code_id: codeId ?? null,
  }
}
