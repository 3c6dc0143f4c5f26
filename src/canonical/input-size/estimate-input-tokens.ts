import { endsStep, runToEnd, type Steps } from '../../kit/async/steps.ts'
import type { AudioBlock, Block, DocumentBlock, ImageBlock, ToolResultContent } from '../content.ts'
import type { ChatRequest, Tool, Turn } from '../request.ts'
import { countPdfPages } from './count-pdf-pages.ts'
import { readImageSize } from './read-image-size.ts'
import { TextCounts } from './text-counts.ts'
import type { TokenVocabulary } from './token-vocabulary.ts'

/** The assumed side of an image without a stated size, in pixels. */
const USUAL_SIDE_PIXELS = 1_024
/** The characters of audio for one token: about ten tokens per second at the usual bit rates. */
const CHARACTERS_AN_AUDIO_TOKEN = 1_200
/** A long text is scanned in steps of this many characters. */
const CHARACTERS_A_STEP = 512 * 1024

/** Estimates the tokens of a request, where no service with the model's vocabulary can be asked. */
export function estimateInputTokens(request: ChatRequest, vocabulary: TokenVocabulary): number {
  return runToEnd(estimateInputTokensInSteps(request, vocabulary))
}

/** Estimates the tokens with pauses, for a long request. */
export function* estimateInputTokensInSteps(
  request: ChatRequest,
  vocabulary: TokenVocabulary,
): Steps<number> {
  const { turns, tools = [], outputFormat, reasoning } = request
  const estimate = new Estimate(vocabulary)
  for (const [index, turn] of turns.entries()) {
    estimate.addTurn(turn)
    if (endsStep(index)) yield
  }
  for (const tool of tools) estimate.addTool(tool)
  if (outputFormat?.type === 'json-schema') {
    estimate.tokens += vocabulary.schema
    estimate.say(JSON.stringify(outputFormat.schema))
  }
  if (isOn(reasoning?.mode)) estimate.tokens += vocabulary.thinking
  const marks = vocabulary.request + vocabulary.turn * Math.max(0, turns.length - 1)
  const offered = tools.length === 0 ? 0 : vocabulary.tools + vocabulary.tool * tools.length
  yield* estimate.addLongTexts()
  return Math.ceil(estimate.total() + marks + offered)
}

function isOn(mode: NonNullable<ChatRequest['reasoning']>['mode'] | undefined): boolean {
  return mode !== undefined && mode !== 'off'
}

/** Gathers the countable parts of a request. */
class Estimate {
  readonly #spoken = new TextCounts()
  /** The texts that are counted last, with pauses. */
  readonly #longTexts: string[] = []
  readonly #toolText = new TextCounts()
  readonly #toolSchemas = new TextCounts()
  readonly #vocabulary: TokenVocabulary
  tokens = 0

  constructor(vocabulary: TokenVocabulary) {
    this.#vocabulary = vocabulary
  }

  say(text: string): void {
    if (text.length > CHARACTERS_A_STEP) this.#longTexts.push(text)
    else this.#spoken.add(text)
  }

  *addLongTexts(): Steps<void> {
    for (const text of this.#longTexts) {
      let at = 0
      while (at < text.length) {
        at = this.#spoken.add(text, at, at + CHARACTERS_A_STEP)
        yield
      }
    }
  }

  addTurn(turn: Turn): void {
    for (const block of turn.role === 'tool' ? turn.results : turn.content) this.#addBlock(block)
  }

  addTool(tool: Tool): void {
    if (tool.type !== 'function') {
      this.#toolSchemas.add(JSON.stringify(tool))
      return
    }
    this.#toolText.add(tool.name)
    this.#toolText.add(tool.description ?? '')
    if (tool.parameters !== undefined) this.#toolSchemas.add(JSON.stringify(tool.parameters))
  }

  total(): number {
    const { toolText, toolSchema } = this.#vocabulary
    const tools = toolText * this.#costOf(this.#toolText) + toolSchema * this.#costOf(this.#toolSchemas)
    return this.tokens + this.#costOf(this.#spoken) + tools
  }

  #addBlock(block: Block | ToolResultContent): void {
    switch (block.type) {
      case 'text':
      case 'refusal':
        this.say(block.text)
        return
      // Earlier reasoning is removed before the model reads on.
      case 'thinking':
      case 'redacted-thinking':
        return
      case 'tool-call':
        this.tokens += this.#vocabulary.call
        this.say(block.name)
        this.say(block.input)
        return
      case 'tool-result':
        this.tokens += this.#vocabulary.call
        for (const part of block.content) this.#addBlock(part)
        return
      case 'image':
        this.tokens += this.#tokensOfImage(block)
        return
      case 'document':
        this.#addDocument(block)
        return
      case 'audio':
        this.#addAudio(block)
        return
      default:
        this.say(JSON.stringify(block))
    }
  }

  #tokensOfImage({ source }: ImageBlock): number {
    const size = source.type === 'base64' ? readImageSize(source.data) : undefined
    return this.#vocabulary.image(size?.width ?? USUAL_SIDE_PIXELS, size?.height ?? USUAL_SIDE_PIXELS)
  }

  #addDocument({ source, title, context }: DocumentBlock): void {
    this.say(title ?? '')
    this.say(context ?? '')
    if (source.type === 'text') this.say(source.text)
    else
      this.tokens +=
        this.#vocabulary.documentPage * (source.type === 'base64' ? countPdfPages(source.data) : 1)
  }

  #addAudio({ data, transcript }: AudioBlock): void {
    if (transcript !== undefined) this.say(transcript)
    else this.tokens += Math.ceil((data?.length ?? 0) / CHARACTERS_AN_AUDIO_TOKEN)
  }

  #costOf(counts: TextCounts): number {
    const each = this.#vocabulary
    return (
      counts.words * each.word +
      counts.lettersBeyondSix * each.letterBeyondSix +
      counts.digits * each.digit +
      counts.marks * each.marks +
      counts.gaps * each.gap +
      counts.ideographs * each.ideograph +
      counts.otherLetters * each.otherLetter
    )
  }
}
