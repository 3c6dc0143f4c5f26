import { claudeCode } from './claude-code.ts'
import type { Client } from './client.ts'

export const clients: readonly Client[] = [claudeCode]
