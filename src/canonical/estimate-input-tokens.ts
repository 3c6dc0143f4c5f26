import type { Block, ToolResultContent } from './content.ts'
import type { ChatRequest, Tool, Turn } from './request.ts'

/** What a turn costs besides its words: its role and the marks around it. */
const TOKENS_A_TURN = 4
/** An image of about a megapixel (platform.claude.com/docs/en/build-with-claude/vision, seen 2026-11-20). */
const TOKENS_AN_IMAGE = 1_600
const LATIN_CHARACTERS_A_TOKEN = 4

/** About how many tokens a request is, where nobody who knows the model's vocabulary can be asked. */
export function estimateInputTokens({ turns, tools = [] }: ChatRequest): number {
  const spoken = turns.reduce((sum, turn) => sum + TOKENS_A_TURN + tokensOfTurn(turn), 0)
  return tools.reduce((sum, tool) => sum + tokensOfTool(tool), spoken)
}

function tokensOfTurn(turn: Turn): number {
  const blocks: readonly Block[] = turn.role === 'tool' ? turn.results : turn.content
  return blocks.reduce((sum, block) => sum + tokensOfBlock(block), 0)
}

function tokensOfBlock(block: Block | ToolResultContent): number {
  switch (block.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return tokensOfText(block.text)
    case 'tool-call':
      return tokensOfText(block.name) + tokensOfText(block.input)
    case 'tool-result':
      return block.content.reduce((sum, part) => sum + tokensOfBlock(part), 0)
    case 'image':
      return TOKENS_AN_IMAGE
    default:
      return tokensOfText(JSON.stringify(block))
  }
}

function tokensOfTool(tool: Tool): number {
  return tokensOfText(JSON.stringify(tool))
}

/** Latin letters share tokens; others mostly have one each. */
export function tokensOfText(text: string): number {
  const wide = text.match(/[\u0250-\uffff]/g)?.length ?? 0
  return Math.ceil((text.length - wide) / LATIN_CHARACTERS_A_TOKEN) + wide
}
