import { GatewayError } from '../../canonical/failure.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { Plan } from '../../routing/plan-attempts.ts'
import type { UpstreamError } from '../../wire/wire-format.ts'
import type { OperationRequest } from '../exchange/caller-request.ts'

type Account = Pick<Candidate, 'target' | 'credential'>

/**
 * Restricts the plan to the account that stores the objects that a request names, and to the channels that allow
 * objects that are not stored for the key. Throws `invalid_field` if no candidate is left.
 */
export function restrictToHolder(plan: Plan, { holder, foreignField }: OperationRequest): Plan {
  if (holder === undefined && foreignField === undefined) return plan
  const mayAsk = ({ target: { channel }, credential }: Account) =>
    (holder === undefined ||
      (channel.name === holder.channelName && credential?.id === holder.credentialId)) &&
    (foreignField === undefined || channel.allowFields.has(foreignField))
  const candidates = plan.candidates.filter(mayAsk)
  const excluded = plan.excluded.filter(mayAsk)
  if (candidates.length + excluded.length > 0) return { candidates, excluded }
  throw new GatewayError('invalid_field', {
    param: 'model',
    message:
      'The request names what is stored on a channel that does not serve its model. Ask a model of that channel, or upload the file again.',
  })
}

/** An error of a provider in which the gateway's names replace the provider's. */
export function renameInError(answer: UpstreamError, { holder }: OperationRequest): UpstreamError {
  if (holder === undefined) return answer
  let text = answer.body.toString('utf8')
  for (const { theirs, ours } of holder.renamings) text = text.replaceAll(theirs, ours)
  return { ...answer, body: Buffer.from(text) }
}
