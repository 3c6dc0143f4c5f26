import type { AuditRecord } from '../canonical/audit.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { Branded } from '../kit/brand.ts'
import type { BudgetId, BudgetScope } from './budget.ts'
import type { CounterKey } from './ledger-row.ts'

export type GrantId = Branded<string, 'GrantId'>
export type CodeId = Branded<string, 'CodeId'>

/** Money for one key, user, group … to spend. Never changed; what is taken back is a grant below zero. */
export interface CreditGrant {
  readonly id: GrantId
  readonly scope: BudgetScope
  readonly amount: NanoDollars
  readonly reason: string
  /** The one who granted it; for a redeemed code, the one who redeemed it. */
  readonly author: string
  readonly atMs: number
  /** The time at which what is not spent lapses; undefined: never. */
  readonly expiresAtMs: number | undefined
  /** The redemption code that it comes from. */
  readonly codeId: CodeId | undefined
}

/** A code that gives its credit once. It is known by its digest alone. */
export interface RedemptionCode {
  readonly id: CodeId
  readonly digest: string
  /** The code's first characters, to tell codes apart. */
  readonly hint: string
  readonly amount: NanoDollars
  readonly reason: string
  readonly author: string
  readonly atMs: number
  /** The end of the time in which it can be redeemed; undefined: always. */
  readonly expiresAtMs: number | undefined
  /** The life of the credit from then on; undefined: for ever. */
  readonly creditLifeMs: number | undefined
}

export type CodeState =
  | { readonly type: 'open' }
  | { readonly type: 'redeemed'; readonly atMs: number; readonly grantId: GrantId }
  | { readonly type: 'revoked'; readonly atMs: number; readonly author: string }

export interface StoredCode extends RedemptionCode {
  readonly state: CodeState
}

/**
 * An operator's change of a budget beside its configuration. It never changes itself; the sum that was spent stays as
 * it is.
 */
export type BudgetChange =
  /** The limit is higher, or with an amount below zero lower, until a time. */
  | (BudgetChangeBase & {
      readonly type: 'raise'
      readonly amount: NanoDollars
      /** Undefined: for ever. */
      readonly untilMs: number | undefined
    })
  /** A reset: what was spent of a window until then can be spent once more. */
  | (BudgetChangeBase & {
      readonly type: 'reset'
      readonly window: CounterKey
      readonly resetAmount: NanoDollars
    })

interface BudgetChangeBase {
  readonly id: string
  readonly budgetId: BudgetId
  readonly reason: string
  readonly author: string
  readonly atMs: number
}

export interface CreditState {
  /** All grants, oldest first: what has lapsed depends on what was spent before. */
  readonly grants: readonly CreditGrant[]
  /** The changes that may still have an effect, oldest first. */
  readonly changes: readonly BudgetChange[]
}

export interface Redemption {
  readonly digest: string
  /** The fields of the grant that the code does not have. */
  readonly grant: Pick<CreditGrant, 'id' | 'scope' | 'author' | 'atMs'>
}

export type RedeemResult =
  | { readonly type: 'redeemed'; readonly grant: CreditGrant }
  | { readonly type: 'refused'; readonly reason: 'unknown' | 'redeemed' | 'revoked' | 'expired' }

export interface CodePage {
  /** The newest code comes first. */
  readonly codes: readonly StoredCode[]
  /** `before` for the next page; undefined on the last one. */
  readonly next: number | undefined
}

/**
 * The store of credits and changes of budgets. A fulfilled promise is durable, together with the record of
 * who made the change; where nothing changed, no record is written. All methods fail with
 * `store_unavailable`.
 */
export interface CreditStore {
  loadCredits(nowMs: number): Promise<CreditState>
  /** A grant whose id is there already is not written twice. */
  addGrant(grant: CreditGrant, record: AuditRecord): Promise<void>
  /** Adds all or none: a reset of a rolling window is a change of each of its parts. */
  addChanges(changes: readonly BudgetChange[], record: AuditRecord): Promise<void>
  addCodes(codes: readonly RedemptionCode[], record: AuditRecord): Promise<void>
  /** Redeems a code, for one caller of many at once, and writes its grant in the same transaction. */
  redeem(redemption: Redemption, record: AuditRecord): Promise<RedeemResult>
  /** Revokes a code at the time of the record. False where there is no such code that is open. */
  revokeCode(id: CodeId, record: AuditRecord): Promise<boolean>
  listCodes(page: { readonly before?: number | undefined; readonly limit: number }): Promise<CodePage>
}
