import { claudeCode } from './claude-code.ts'
import type { Client } from './client.ts'
import { cline } from './cline.ts'
import { codex, codexWebSocket } from './codex.ts'
import { continueCli } from './continue.ts'
import { geminiCli } from './gemini-cli.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwenCode } from './qwen-code.ts'

export const clients: readonly Client[] = [
  claudeCode,
  opencode,
  pi,
  qwenCode,
  continueCli,
  cline,
  codex,
  codexWebSocket,
  geminiCli,
]
