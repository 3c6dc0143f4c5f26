import { GatewayError, isFailure } from '../../canonical/failure.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import { brand } from '../../kit/brand.ts'
import type { BatchInputFacts } from '../../stored-answers/remote-object.ts'
import type { FoundOwner } from '../retrieval/owner-lane.ts'
import type { AttemptCharge } from '../spending/attempt-charge.ts'
import { fixedCost, openDurableCharge } from '../spending/open-durable-charge.ts'
import type { ObjectCall } from './object-input.ts'

const nothing = brand<NanoDollars>(0)

/**
 * Holds the maximum cost of all lines of a batch, and writes the intent where a budget is exact. When the provider
 * accepts the batch, the row is written with that amount as an estimate. It is corrected when the batch is over.
 * Rejects with `GatewayError`.
 */
export async function openBatchCharge(
  call: ObjectCall,
  { candidate }: Pick<FoundOwner, 'candidate'>,
  facts: Pick<BatchInputFacts, 'worst'> & { readonly attempt?: number },
): Promise<AttemptCharge> {
  const { request, clock } = call
  const { caller, requestId } = request
  const { target, publicName } = candidate
  const price = target.prices && priceAt(target.prices, clock.nowMs())
  if (price !== undefined && facts.worst?.priceVersion !== price.id) throw priceChanged()
  const charge = await openDurableCharge(
    {
      caller,
      requestId,
      attempt: facts.attempt,
      tags: caller.tags,
      model: publicName,
      channel: target.channel.name,
      upstreamModel: target.upstreamModel,
      price,
      unpriced: 'model_unpriced',
      worst: () => fixedCost(facts.worst?.cost ?? nothing, caller.multiplierPpm),
      chargesUnseen: true,
      // The output may stay unreadable, and a batch without a budget is not free then.
      chargesUnheld: true,
    },
    call,
  )
  if (!isFailure(charge)) return charge
  const { code, ...more } = charge
  throw new GatewayError(code, code === 'model_unpriced' ? { ...more, param: 'model' } : more)
}

function priceChanged(): GatewayError {
  return new GatewayError('invalid_field', {
    param: 'input_file_id',
    message:
      'The price of the model has changed since the file was uploaded, so that its worst case is not known any more. Upload the file again.',
  })
}
