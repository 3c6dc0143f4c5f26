/**
 * The token costs of the parts of a request in one family of models. The figures are fitted to recorded requests and
 * to the counts that services reported for them. docs/token-counts.md explains the method and its errors.
 */
export interface TokenVocabulary {
  /** The tokens of every request. */
  readonly request: number
  /** The tokens of every turn after the first: its role and the marks around it. */
  readonly turn: number
  /** A run of letters. Each letter beyond the sixth costs extra. */
  readonly word: number
  readonly letterBeyondSix: number
  readonly digit: number
  /** A run of punctuation. */
  readonly marks: number
  /** A line break, or white space of more than one character. */
  readonly gap: number
  /** A character of Chinese, Japanese or Korean. */
  readonly ideograph: number
  /** A UTF-16 unit of any other script. */
  readonly otherLetter: number
  /** The tokens that the service itself adds to the prompt where there are tools. */
  readonly tools: number
  readonly tool: number
  /**
   * The share of normal text cost for the names and descriptions of tools, which the service rewrites for the model.
   */
  readonly toolText: number
  /** The share of normal text cost for the schemas of tools' inputs. */
  readonly toolSchema: number
  /** A tool call and its result. */
  readonly call: number
  /** The tokens that the service adds to the prompt where the answer must fit a schema. */
  readonly schema: number
  /** The tokens that the service adds to the prompt where the model is to think. */
  readonly thinking: number
  /** The tokens of an image with sides of this many pixels. */
  image(widthPixels: number, heightPixels: number): number
  readonly documentPage: number
}

const MAX_SIDE_PIXELS = 1_568
const PIXELS_A_TOKEN = 750

/**
 * Computes an image's tokens for Claude (https://platform.claude.com/docs/en/build-with-claude/vision, seen
 * 2026-11-20).
 */
function claudeImage(width: number, height: number): number {
  const shrink = Math.min(1, MAX_SIDE_PIXELS / Math.max(width, height))
  return Math.ceil((width * height * shrink * shrink) / PIXELS_A_TOKEN)
}

const TILE_PIXELS = 512
const TOKENS_A_TILE = 170
const TOKENS_BESIDE_TILES = 85

/**
 * Fits the image into 2048 × 2048 with a short side of 768, and counts tiles
 * (https://platform.openai.com/docs/guides/images-vision, seen 2026-11-20).
 */
function gptImage(width: number, height: number): number {
  const shrink = Math.min(1, 2_048 / Math.max(width, height), 768 / Math.min(width, height))
  const tilesOf = (side: number) => Math.ceil((side * shrink) / TILE_PIXELS)
  return TOKENS_BESIDE_TILES + TOKENS_A_TILE * tilesOf(width) * tilesOf(height)
}

const claude: TokenVocabulary = {
  request: 6.5,
  turn: 2,
  word: 0.9,
  letterBeyondSix: 0.17,
  digit: 0.6,
  marks: 1.15,
  gap: 0.85,
  ideograph: 1,
  otherLetter: 0.6,
  tools: 525,
  tool: 8,
  toolText: 1,
  toolSchema: 0.9,
  call: 30,
  schema: 125,
  thinking: 29,
  image: claudeImage,
  documentPage: 2_000,
}

const gpt: TokenVocabulary = {
  request: 6.8,
  turn: 2.7,
  word: 0.97,
  letterBeyondSix: 0.14,
  digit: 0.6,
  marks: 1,
  gap: 0.8,
  ideograph: 0.9,
  otherLetter: 0.4,
  tools: 16,
  tool: 3,
  toolText: 0.8,
  toolSchema: 0.5,
  call: 6,
  schema: 20,
  thinking: 0,
  image: gptImage,
  documentPage: 1_500,
}

/**
 * Open-weight models, which anyone may serve, get tools as the whole JSON that was sent, with a page on how to call
 * them.
 */
const open: TokenVocabulary = { ...gpt, tools: 120, tool: 12, toolText: 1, toolSchema: 1.05, call: 20 }

const newerClaude = 1.3

export const vocabularies = {
  claude,
  /** Models up to 4.1 have a shorter prompt for tools. */
  olderClaude: { ...claude, tools: 370 },
  /**
   * Opus 4.7 and later models have finer tokens (https://platform.claude.com/docs/en/about-claude/models,
   * seen 2026-11-20).
   */
  newerClaude: {
    ...claude,
    word: claude.word * newerClaude,
    letterBeyondSix: claude.letterBeyondSix * newerClaude,
    digit: claude.digit * newerClaude,
    marks: claude.marks * newerClaude,
    gap: claude.gap * newerClaude,
  },
  gpt,
  /** gpt-5 has a longer prompt for its tools. */
  reasoningGpt: { ...gpt, tools: 115 },
  open,
  /** gpt-oss always gets its identity and the date in the prompt. */
  gptOss: { ...open, request: 70, tools: 45 },
} as const satisfies Readonly<Record<string, TokenVocabulary>>
