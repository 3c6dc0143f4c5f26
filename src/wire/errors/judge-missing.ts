/** The answer of an upstream that refused access (403) or found nothing (404), and what the request named. */
export interface MissingDetails {
  /** The type, code and message of the error. */
  readonly text: string
  /** The field at fault, where the error names one. */
  readonly param?: string | undefined
  /** Whether the request named an object stored by the provider, such as a file. */
  readonly namesStoredObjects?: boolean | undefined
}

/** The reason is at the beginning of the text. The rest may be long. */
const MAX_TEXT_LENGTH = 4096

const kinds =
  '(?:file|container|conversation|item|prompt|response|vector[ _]?store|search[ _]?store|skill|audio|cache|object|bucket|corpus|data ?store|document|image|interaction|preset)s?'

/**
 * The model is named first in the sentence, where a name chosen by the caller cannot appear. Type and code may precede
 * the sentence.
 */
const startsWithModel =
  /^(?:[\w .-]{0,80}\n){0,2}(?:(?:the|this|requested|specified|publisher|api|no such|unknown|invalid) ){0,3}(?:models?\b|deployment\b|model_not_found|deployment ?not ?found)/i
/** The objects that callers can name: cached contents, files, buckets and the like. */
const objects: readonly RegExp[] = [
  /cached[ _]?contents?\b|storage\.objects?\.|s3:\w*object|access the file\b/i,
  new RegExp(
    `\\b${kinds}(?: with)?(?: ids?)?:? ?['"\`“‘].*(?:not (?:be )?found|not exist|expired|deleted)`,
    'is',
  ),
  new RegExp(
    `\\b${kinds} (?:[\\w./:-]+ )?(?:(?:was|is|were|are|could|has|have|does|do) ){0,2}(?:not (?:be )?found|not exist|expired|been deleted)`,
    'i',
  ),
  new RegExp(
    `\\b(?:no such|not found:?|(?:not|n't|unable to|failed to) (?:find|access|get|fetch|read|load)) (?:the )?${kinds}\\b`,
    'i',
  ),
  // OpenRouter: the model exists, but cannot do what this request asks for.
  /no endpoints found that (?:support|can handle)/i,
]
const model =
  /model_not_found|deployment ?not ?found|publisher model|\bmodel: ?\S|\bmodels\/\S+ is not found|access to (?:the |this )?model\b|\bmodels?\b.{0,120}(?:does not exist|not (?:be )?found|deprecated|no longer available|not supported|unknown|invalid)/i

/**
 * Decides whether the missing thing is an object that the caller named, which is the caller's own fault, or the model.
 * Undefined where the answer does not show it. Text about objects is checked before text about models, since text about
 * objects may quote the caller.
 */
export function judgeMissing(signs: MissingDetails): 'object' | 'model' | undefined {
  const { param, namesStoredObjects } = signs
  const text = signs.text.slice(0, MAX_TEXT_LENGTH)
  if (param === 'model' || startsWithModel.test(text)) return 'model'
  if (param !== undefined || objects.some((pattern) => pattern.test(text))) return 'object'
  if (model.test(text)) return 'model'
  return namesStoredObjects === true ? 'object' : undefined
}
