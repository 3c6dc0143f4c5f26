import { checkSchema } from '../agent/check-schema.ts'
import { Refusal, type Round } from '../agent/conversation.ts'
import { wordOf } from '../second-reader/meaning.ts'
import type { Account } from './account.ts'
import { type GeminiContent, type GeminiPart, geminiRequestSchema } from './gemini-request-schema.ts'
import type { StrictRequest } from './strict-request.ts'

/** Stands for the signature of a call that another model made. */
const FOREIGN = 'skip_thought_signature_validator'

export interface GeminiTerms {
  readonly account: Account
  /** The model in the path. */
  readonly model: string
  readonly isStream: boolean
}

/** Takes a request as the Gemini rules of `rules.md` allow. Throws `Refusal`. */
export function checkGeminiRequest(value: unknown, { account, model, isStream }: GeminiTerms): StrictRequest {
  const body = checkSchema(geminiRequestSchema, value)
  const { contents } = body
  const rounds = readRounds(contents)
  checkSigned(contents)
  const parts = contents.flatMap((content) => content.parts)
  const proofs = parts.flatMap(({ thoughtSignature }) =>
    thoughtSignature === undefined ? [] : [thoughtSignature],
  )
  const foreign = proofs.find((proof) => proof !== FOREIGN && !account.knows(proof))
  if (foreign !== undefined) throw new Refusal(`G7: Corrupted thought signature. ${foreign.slice(0, 40)}`)
  if (contents.at(-1)?.role === 'model') throw new Refusal('G8: the model has the last word')
  return {
    model,
    isStream,
    wantsStreamUsage: true,
    wantsThinking: true,
    outputSchema: undefined,
    tools: (body.tools ?? []).flatMap(({ functionDeclarations }) =>
      functionDeclarations.map(({ name, parameters, parametersJsonSchema }) => ({
        name,
        schema: parameters ?? parametersJsonSchema ?? {},
      })),
    ),
    rounds,
    proofs: proofs.filter((proof) => proof !== FOREIGN),
    imageCount: parts.flatMap(imagesOf).length,
  }
}

function imagesOf({ inlineData, functionResponse }: GeminiPart): readonly object[] {
  return [...(inlineData === undefined ? [] : [inlineData]), ...(functionResponse?.parts ?? [])]
}

type Call = NonNullable<GeminiPart['functionCall']>
type Response = NonNullable<GeminiPart['functionResponse']>

function callsOf({ parts }: GeminiContent): readonly Call[] {
  return parts.flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]))
}

function responsesOf(content: GeminiContent | undefined): readonly Response[] {
  return (content?.parts ?? []).flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [functionResponse],
  )
}

function readRounds(contents: readonly GeminiContent[]): readonly Round[] {
  return contents.flatMap((content, index) => {
    const calls = callsOf(content)
    const responses = responsesOf(contents[index + 1])
    const isModel = content.role === 'model'
    if (!isModel && calls.length > 0) throw new Refusal('G2: calls are the model’s')
    const wanted = calls.map(({ name }) => name).sort()
    const given = responses.map(({ name }) => name).sort()
    if (isModel && wanted.join() !== given.join()) {
      throw new Refusal(
        `G3: Please ensure that the number of function response parts is equal to the number of function call parts. Called: ${wanted}. Answered: ${given}.`,
      )
    }
    if (!isModel && given.length > 0) throw new Refusal('G5: results follow no calls')
    if (calls.length === 0) return []
    if (contents[index - 1]?.role !== 'user') {
      throw new Refusal('G4: Please ensure that function call turn comes immediately after a user turn.')
    }
    return [pair(calls, responses)]
  })
}

/** Results belong to the call of their id, without ids in their order. */
function pair(calls: readonly Call[], responses: readonly Response[]): Round {
  return {
    calls: calls.map(({ id, name, args }, position) => ({
      id: id ?? String(position),
      name,
      input: args ?? {},
    })),
    results: responses.map(({ id, response }, position) => ({
      callId: id ?? String(position),
      text: wordOf(response['output'] ?? response['error']),
    })),
  }
}

/** Checks that since the user's last words the first call of every step is signed. */
function checkSigned(contents: readonly GeminiContent[]): void {
  const isAsked = (content: GeminiContent) => content.role === 'user' && responsesOf(content).length === 0
  for (const content of contents.slice(contents.findLastIndex(isAsked) + 1)) {
    const first = content.parts.find(({ functionCall }) => functionCall !== undefined)
    if (first === undefined || first.thoughtSignature !== undefined) continue
    throw new Refusal(`G6: Function call is missing a thought_signature: ${first.functionCall?.name}`)
  }
}
