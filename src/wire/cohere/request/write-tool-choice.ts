import type { ChatRequest, Tool, ToolChoice } from '../../../canonical/request.ts'
import { readAllowedNames } from '../../tools/allowed-tools.ts'
import { fitToolName } from './fit-tool-name.ts'
import type { WriteContext } from './write-context.ts'

interface Chosen {
  readonly offered: readonly Tool[]
  readonly choice?: ToolChoice | undefined
}

/**
 * Chooses the tools to offer. If the choice names tools, only these are offered, since the format cannot express such a
 * choice in another way. A choice that names none of the tools is dropped. If the server understands no tool choice,
 * offering no tools is the way to forbid calls.
 */
export function fitToolChoice(
  { tools = [], toolChoice: choice }: ChatRequest,
  context: WriteContext,
): Chosen {
  if (choice?.type === 'none' && context.dialect.toolChoices === 'auto') return { offered: [], choice }
  const names = namesOf(choice)
  if (names === undefined || tools.length === 0) return { offered: tools, choice }
  const offered = tools.filter((tool) => tool.type !== 'hosted' && names.has(tool.name))
  if (offered.length > 0) return { offered, choice }
  context.losses.lose(choice?.type === 'allowed' ? 'allowed-tools' : 'tool-choice', 'dropped')
  return { offered: tools }
}

function namesOf(choice: ToolChoice | undefined): ReadonlySet<string> | undefined {
  if (choice?.type === 'tool') return new Set([choice.name])
  return choice?.type === 'allowed' ? new Set(readAllowedNames(choice.tools, fitToolName)) : undefined
}

export function writeToolChoice(choice: ToolChoice | undefined, context: WriteContext): string | undefined {
  if (choice === undefined || choice.type === 'auto') return undefined
  if (choice.type === 'none') return 'NONE'
  if (choice.type === 'allowed') context.losses.lose('allowed-tools', 'approximated')
  if (choice.type === 'tool') context.losses.lose('tool-choice', 'approximated')
  if (choice.type === 'allowed' && choice.mode === 'auto') return undefined
  if (context.dialect.toolChoices !== 'auto') return 'REQUIRED'
  context.losses.lose('tool-choice', 'approximated')
  return undefined
}
