import type { GatewayError } from '../../canonical/failure.ts'
import { type NanoDollars, writeDollars } from '../../canonical/money.ts'
import { refuse } from '../../canonical/refusal.ts'
import { brand } from '../../kit/brand.ts'
import { type BudgetScope, writeScope } from '../../metering/budget.ts'
import type { CreditControl } from './credit-control.ts'

const MAX_GRANTED: NanoDollars = brand<NanoDollars>(9_000_000_000_000_000)

export interface PendingGrant {
  readonly scope: BudgetScope
  readonly amount: NanoDollars
}

/** Keeps the total of all grants to one owner within exact numbers, including grants that are being written. */
export class GrantBound {
  readonly #control: Pick<CreditControl, 'creditOf'>
  /** The amounts that are being written, by scope. */
  readonly #pending = new Map<string, number>()

  constructor(control: Pick<CreditControl, 'creditOf'>) {
    this.#control = control
  }

  /**
   * Checks the grant and reserves its amount until `write` ends. If the check fails, throws `invalid_field` without
   * calling `write`.
   */
  async reserve<Result>({ scope, amount }: PendingGrant, write: () => Promise<Result>): Promise<Result> {
    const name = writeScope(scope)
    const added = Math.max(0, amount)
    const pending = this.#pending.get(name) ?? 0
    const { grants } = this.#control.creditOf(scope)
    const granted = grants.reduce((sum, grant) => sum + Math.max(0, grant.amount), 0)
    if (granted + pending + added > MAX_GRANTED) throw tooMuch()
    this.#pending.set(name, pending + added)
    try {
      return await write()
    } finally {
      this.#release(name, added)
    }
  }

  #release(name: string, added: number): void {
    const left = (this.#pending.get(name) ?? 0) - added
    if (left > 0) this.#pending.set(name, left)
    else this.#pending.delete(name)
  }
}

function tooMuch(): GatewayError {
  const message = `"amount_usd": all grants together may be ${writeDollars(MAX_GRANTED)} US dollars at most.`
  return refuse('invalid_field', {
    param: 'amount_usd',
    message,
    fact: { code: 'grants_over_limit', values: { maximum_usd: writeDollars(MAX_GRANTED) } },
  })
}
