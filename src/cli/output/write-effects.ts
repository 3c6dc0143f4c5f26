import type { ChangePreview } from '../../admin/config/config-contract.ts'
import type { Effects } from '../../admin/effects/effect-contract.ts'

const marks = { breaks: '!', changes: '~', adds: '+' } as const

/** Writes effects in words, one line each: `!` breaks something, `~` changes and `+` adds something. */
export function writeEffects({ effects, more_effects: more }: Effects): string {
  if (effects.length === 0) return 'Nothing changes for anybody.\n'
  const lines = effects.map(({ severity, text }) => `${marks[severity]} ${text}`)
  return `${[...lines, ...(more === 0 ? [] : [`and ${more} more`])].join('\n')}\n`
}

/** Writes a preview of a change for display. */
export function writePreview(preview: Omit<ChangePreview, 'conflicts'>): string {
  const { ok, problems, warnings, changes } = preview
  const lines = [
    ...problems.map(({ path, message }) => `problem: ${path}: ${message}`),
    ...warnings.map((warning) => `warning: ${warning}`),
    ...(changes.length === 0 ? ['Nothing differs.'] : changes),
  ]
  return `${lines.join('\n')}\n${ok ? `\n${writeEffects(preview)}` : '\nIt cannot be applied.\n'}`
}
