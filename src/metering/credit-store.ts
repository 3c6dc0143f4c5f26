import type { AuditRecord } from '../canonical/audit.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { Branded } from '../kit/brand.ts'
import type { BudgetId, BudgetScope } from './budget.ts'
import type { CounterKey } from './ledger-row.ts'

export type GrantId = Branded<string, 'GrantId'>
export type CodeId = Branded<string, 'CodeId'>

/**
 * Money that a key, a user, a group … can spend. A grant never changes. Credit is revoked by a grant with a negative
 * amount.
 */
export interface CreditGrant {
  readonly id: GrantId
  readonly scope: BudgetScope
  readonly amount: NanoDollars
  readonly reason: string
  /** The user who granted the credit. For a redeemed code, the user who redeemed it. */
  readonly author: string
  readonly atMs: number
  /** The time at which the unspent amount expires; undefined: never. */
  readonly expiresAtMs: number | undefined
  /** The redemption code of the grant. */
  readonly codeId: CodeId | undefined
}

/** A code that gives its credit once. The store has only the digest of the code. */
export interface RedemptionCode {
  readonly id: CodeId
  readonly digest: string
  /** The code's first characters, to tell codes apart. */
  readonly hint: string
  readonly amount: NanoDollars
  readonly reason: string
  readonly author: string
  readonly atMs: number
  /** The time until which the code can be redeemed; undefined: always. */
  readonly expiresAtMs: number | undefined
  /** The lifetime of the credit from its redemption; undefined: unlimited. */
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
 * An operator's change of a budget in addition to its configuration. A change is never edited. The amount spent does
 * not change.
 */
export type BudgetChange =
  /** Raises the limit until a time. A negative amount lowers it. */
  | (BudgetChangeBase & {
      readonly type: 'raise'
      readonly amount: NanoDollars
      /** Undefined: permanently. */
      readonly untilMs: number | undefined
    })
  /** A reset: the amount spent in a window so far can be spent again. */
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

export type BudgetReset = Extract<BudgetChange, { readonly type: 'reset' }>

/** A reset to be made. It gives back the part of `spent` that no earlier one gave back. */
export interface WindowReset extends Omit<BudgetReset, 'resetAmount'> {
  /** The amount spent in the window. */
  readonly spent: NanoDollars
}

export interface CreditState {
  /** All grants, oldest first. The amount that has expired depends on the amounts that were spent before. */
  readonly grants: readonly CreditGrant[]
  /** The changes that may still have an effect, oldest first. */
  readonly changes: readonly BudgetChange[]
}

export interface Redemption {
  readonly digest: string
  /** The fields of the grant that do not come from the code. */
  readonly grant: Pick<CreditGrant, 'id' | 'scope' | 'author' | 'atMs'>
}

export type RedeemResult =
  | { readonly type: 'redeemed'; readonly grant: CreditGrant }
  | { readonly type: 'refused'; readonly reason: 'unknown' | 'redeemed' | 'revoked' | 'expired' }

export interface CodePage {
  /** The newest code comes first. */
  readonly codes: readonly StoredCode[]
  /** The value of `before` for the next page; undefined on the last page. */
  readonly next: number | undefined
}

/**
 * The store of credits and of changes of budgets. A fulfilled promise means that the change is durable, together with
 * the record of who made it. Where nothing changed, no record is written. All methods fail with `store_unavailable`.
 */
export interface CreditStore {
  loadCredits(nowMs: number): Promise<CreditState>
  /** Writes a grant once: a grant with a known ID is ignored. */
  addGrant(grant: CreditGrant, record: AuditRecord): Promise<void>
  /** Adds all changes or none: a reset of a rolling window is one change for each of its parts. */
  addChanges(changes: readonly BudgetChange[], record: AuditRecord): Promise<void>
  /**
   * Adds a change for each window, of what no change gave back before: two processes may reset a budget at the same
   * time. Resolves with the added changes.
   */
  addResets(resets: readonly WindowReset[], record: AuditRecord): Promise<readonly BudgetReset[]>
  addCodes(codes: readonly RedemptionCode[], record: AuditRecord): Promise<void>
  /** Redeems a code, for only one of several concurrent callers, and writes its grant in the same transaction. */
  redeem(redemption: Redemption, record: AuditRecord): Promise<RedeemResult>
  /** Revokes a code at the time of the record. False where there is no open code with this ID. */
  revokeCode(id: CodeId, record: AuditRecord): Promise<boolean>
  listCodes(page: { readonly before?: number | undefined; readonly limit: number }): Promise<CodePage>
}
