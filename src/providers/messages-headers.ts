/**
 * The headers of a channel that speaks the messages format. The caller's version and betas are forwarded unchanged and
 * as an open list, since a body is only valid together with them. The hints are those that Claude Code sends. Source:
 * https://code.claude.com/docs/en/llm-gateway-protocol, seen 2026-11-20.
 */
export const messagesHeaders = {
  headers: { 'anthropic-version': '2023-06-01' },
  forwardHeaders: [
    'anthropic-version',
    'anthropic-beta',
    'x-claude-code-session-id',
    'x-claude-code-agent-id',
    'x-claude-code-parent-agent-id',
    'x-claude-code-request-class',
    'x-claude-code-agent-type',
    'x-claude-code-compaction',
    'x-claude-code-context-compacted',
    'x-claude-code-prev-tool-durations',
  ],
  /**
   * Clients of the format choose their next step by these headers. `retry-after` is written again, as whole seconds.
   */
  answerHeaders: ['x-should-retry', 'anthropic-ratelimit-unified-*'],
} as const
