import { type TokenVocabulary, vocabularies } from '../../canonical/input-size/token-vocabulary.ts'

/** Names of models with a special vocabulary. The first match wins. */
const families: readonly (readonly [RegExp, TokenVocabulary])[] = [
  [/claude-(?:opus-4[-.][7-9]|(?:opus|sonnet|haiku)-[5-9])/, vocabularies.newerClaude],
  [/claude-(?:v?[123]|instant|(?:opus|sonnet)-4(?:$|[-.@][0-4](?!\d)|[-@]2025))/, vocabularies.olderClaude],
  [/claude/, vocabularies.claude],
  [/gpt-oss/, vocabularies.gptOss],
  [/gpt-[5-9]/, vocabularies.reasoningGpt],
  [/gpt|^o\d|\/o\d|gemini|mistral|mixtral|ministral|codestral|magistral/, vocabularies.gpt],
]

/** Chooses the vocabulary for estimating a model's tokens, by the upstream's name of the model. */
export function chooseVocabulary(upstreamModel: string): TokenVocabulary {
  const name = upstreamModel.toLowerCase()
  return families.find(([pattern]) => pattern.test(name))?.[1] ?? vocabularies.open
}
