/** Whether a model is one of Anthropic's, served by any provider. */
export function isClaude(model: string): boolean {
  return /claude/i.test(model)
}
