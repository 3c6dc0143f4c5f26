import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentTask, markPayload, writtenContent } from '../support/agent/agent-script.ts'

/** Texts that break where a program escapes, splits or recodes wrongly. */
const payloads = [
  'first: "quoted" back\\slash \\n \u00fcn\u00efc\u00f6d\u00e9 \u6f22\u5b57 \u{1f680} </tag> $(x)',
  `second: 'single' {"json":[1,2]} data: [DONE] soft\u00adhyphen e\u0301 \u{1f468}\u200d\u{1f469}\u200d\u{1f467}`,
]

/** The content that the third file must have in the end. */
export const expectedBytes = Buffer.from(writtenContent(payloads))

export interface CaseFolders {
  readonly workspace: string
  readonly home: string
  readonly task: AgentTask
}

/** A folder to work in with the two files in it, and an empty home. */
export function prepareFolders(root: string): CaseFolders {
  const workspace = join(root, 'workspace')
  const home = join(root, 'home')
  mkdirSync(workspace)
  mkdirSync(home)
  const read = payloads.map((payload, index) => {
    const path = join(workspace, `source-${index + 1}.txt`)
    writeFileSync(path, markPayload(payload))
    return path
  })
  return { workspace, home, task: { read, write: join(workspace, 'result.txt') } }
}
