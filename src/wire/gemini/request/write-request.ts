import { createLossList, type LossList } from '../../../canonical/loss.ts'
import type { ChatRequest } from '../../../canonical/request.ts'
import { isLong, runToEnd, type Steps } from '../../../kit/async/steps.ts'
import { omitUndefined } from '../../../kit/json/omit-undefined.ts'
import { fitCallId } from '../../tools/fit-call-id.ts'
import { fitToolNames } from '../../tools/fit-tool-names.ts'
import type { WriteTarget, WrittenRequest } from '../../wire-format.ts'
import { withExtras } from '../values/extras.ts'
import { askForJson, instruct } from './ask-for-json.ts'
import { writeMessages } from './write-messages.ts'
import { writeSampling } from './write-sampling.ts'
import { writeTools } from './write-tools.ts'

/** Writes the body for a channel of this format. The path, not the body, names the model and selects streaming. */
export function writeRequest(original: ChatRequest, target: WriteTarget): WrittenRequest {
  return runToEnd(writeRequestInSteps(original, target))
}

export function* writeRequestInSteps(original: ChatRequest, { dialect }: WriteTarget): Steps<WrittenRequest> {
  const losses = createLossList()
  const named = fitToolNames(original, losses, fitToolName)
  const { callerTools } = named
  const { request, instruction } = askForJson(named.request, { dialect, losses })
  loseFields(request, losses)
  if (isLong(request.turns)) yield
  const body = omitUndefined({
    ...instruct(yield* writeMessages(request.turns, { dialect, losses }), instruction),
    ...writeTools(request, losses),
    generationConfig: writeSampling(request, { dialect, losses }),
    serviceTier: writeServiceTier(request.serviceTier, losses),
  })
  const value = withExtras(body, request.extras, { losses, path: '' })
  return { value, losses: losses.all, ...(callerTools.size === 0 ? {} : { callerTools }) }
}

function loseFields(request: ChatRequest, losses: LossList): void {
  if (request.logitBias !== undefined) losses.lose('logit-bias', 'dropped')
  if (request.verbosity !== undefined) losses.lose('verbosity', 'dropped')
  if (request.endUser !== undefined) losses.lose('end-user', 'dropped')
  if (request.cache !== undefined) losses.lose('cache-mark', 'dropped')
}

/** The service tiers of the format. Any other tier is left out, and the loss is declared. */
const tiers: ReadonlySet<string> = new Set(['standard', 'flex', 'priority'])

function writeServiceTier(tier: string | undefined, losses: LossList): string | undefined {
  if (tier === undefined || tiers.has(tier)) return tier
  losses.lose('service-tier', 'dropped')
  return undefined
}

const BEGINS_ACCEPTED = /^[A-Za-z_]/

/**
 * A tool's name as the service accepts it: letters, digits, `_` and `-`, and no digit or `-` at the beginning ("Invalid
 * function name. Must start with a letter or an underscore", github.com/CherryHQ/cherry-studio/issues/4087, seen
 * 2026-11-30). Different names stay different.
 */
function fitToolName(name: string): string {
  if (BEGINS_ACCEPTED.test(name)) return fitCallId(name)
  // The space makes the name one that is never accepted, so that it gets a mark and cannot equal a tool named `_7zip`.
  return fitCallId(`_${name} `)
}
