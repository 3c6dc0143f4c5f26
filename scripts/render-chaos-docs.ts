import type { ReadyScript } from '../tools/chaos/ready/ready-script.ts'
import { readyScripts } from '../tools/chaos/ready/ready-scripts.ts'

const heading = '## Ready-made scripts\n'

/** The page with its last section, the table of ready-made scripts, as the source has it. */
export function renderChaosDocs(page: string): string {
  const before = page.slice(0, page.indexOf(heading))
  return `${before}${heading}\n${introduction}\n\n${head}\n${readyScripts.map(writeRow).join('\n')}\n`
}

const introduction = `\`headgate chaos upstream --fault NAME\` serves a script, \`headgate chaos show NAME\` prints it. *Before* and *after*
say whether the fault happens before or after the first words of the answer. [invariants.md](invariants.md) says what
Headgate makes of each fault. The table is written by \`node scripts/write-chaos-docs.ts\`.`

const head =
  '| Fault | Script | What happens | When | Answers | Formats |\n| --- | --- | --- | --- | --- | --- |'

function writeRow({ id, name, description, phase, forms, formats, actor }: ReadyScript): string {
  const who = actor === undefined ? '' : ` (by the ${actor}, not by the script)`
  const when = phase === 'before-content' ? 'before' : 'after'
  return `| ${id} | \`${name}\` | ${description}${who} | ${when} | ${forms.join(', ')} | ${formats.join(', ')} |`
}
