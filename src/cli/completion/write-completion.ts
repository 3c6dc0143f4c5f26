import { Argument, type Command } from 'commander'
import type { CommandIo } from '../output/command-io.ts'
import { type CompletionLevel, type CompletionOption, listCompletions } from './list-completions.ts'

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const
export type Shell = (typeof shells)[number]

/**
 * Writes the script that completes `headgate` in a shell. The script contains every word, since starting the command at
 * each key press would be slow.
 */
export function writeCompletion(shell: Shell, levels: readonly CompletionLevel[]): string {
  switch (shell) {
    case 'bash':
      return writeBash(levels)
    case 'zsh':
      return writeZsh(levels)
    case 'fish':
      return writeFish(levels)
    case 'powershell':
      return writePowerShell(levels)
  }
}

const pathsOf = (levels: readonly CompletionLevel[]) =>
  levels.map(({ path }) => path).filter((path) => path !== '')

const wordsOf = ({ commands, options }: CompletionLevel) =>
  [...commands, ...options].map(({ word }) => word).join(' ')

function listChoices(levels: readonly CompletionLevel[]) {
  return levels.flatMap(({ path, options }) =>
    options.flatMap(({ word, choices }) => (choices.length === 0 ? [] : [{ path, word, choices }])),
  )
}

/** Lists options with a file, a name or a number as value. The shell's own completion is better for these. */
function listFree(levels: readonly CompletionLevel[]): readonly string[] {
  const isFree = ({ hasValue, choices }: CompletionOption) => hasValue && choices.length === 0
  return [...new Set(levels.flatMap(({ options }) => options.filter(isFree).map(({ word }) => word)))]
}

function writeBash(levels: readonly CompletionLevel[]): string {
  return `# bash completion of headgate; see: headgate completion --help
_headgate() {
  local word at='' found='' i
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD - 1]}"
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    case "\${at:+$at }$word" in
      ${quoteAll(pathsOf(levels)).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at|$before" in
${listChoices(levels)
  .map(({ path, word, choices }) => `    '${path}|${word}') found='${choices.join(' ')}' ;;\n`)
  .join('')}    *'|'${listFree(levels).join("|*'|'")}) COMPREPLY=(); return ;;
    *)
      case "$at" in
${levels.map((level) => `        '${level.path}') found='${wordsOf(level)}' ;;\n`).join('')}      esac
      ;;
  esac
  COMPREPLY=($(compgen -W "$found" -- "$current"))
}
complete -o default -F _headgate headgate
`
}

function writeZsh(levels: readonly CompletionLevel[]): string {
  return `#compdef headgate
# zsh completion of headgate; see: headgate completion --help
_headgate() {
  local word at='' i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    case "\${at:+$at }$word" in
      ${quoteAll(pathsOf(levels)).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at|\${words[CURRENT - 1]}" in
${listChoices(levels)
  .map(({ path, word, choices }) => `    '${path}|${word}') found=(${choices.join(' ')}) ;;\n`)
  .join('')}    *'|'${listFree(levels).join("|*'|'")}) _files; return ;;
    *)
      case "$at" in
${levels.map((level) => `        '${level.path}') found=(${wordsOf(level)}) ;;\n`).join('')}      esac
      ;;
  esac
  compadd -- $found || _files
}
if [ "$funcstack[1]" = _headgate ]; then _headgate "$@"; else compdef _headgate headgate; fi
`
}

function writeFish(levels: readonly CompletionLevel[]): string {
  const lines = levels.flatMap(({ path, commands, options }) => {
    const when = `-n "test (__headgate_at) = '${path}'"`
    return [
      ...commands.map(
        ({ word, description }) => `complete -c headgate -f ${when} -a ${word} -d ${fishText(description)}`,
      ),
      ...options.map(({ word, description, hasValue, choices }) => {
        const value = choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : hasValue ? ' -r' : ''
        return `complete -c headgate ${when} -l ${word.slice(2)}${value} -d ${fishText(description)}`
      }),
    ]
  })
  return `# fish completion of headgate; see: headgate completion --help
function __headgate_at
  set -l at ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$at $word")
    switch $next
      case ${quoteAll(pathsOf(levels)).join(' ')}
        set at $next
    end
  end
  echo $at
end
${lines.join('\n')}
`
}

function writePowerShell(levels: readonly CompletionLevel[]): string {
  const table = levels.map((level) => `    '${level.path}' = '${wordsOf(level)}'`).join('\n')
  const choices = listChoices(levels)
    .map(({ path, word, choices: values }) => `    '${path}|${word}' = '${values.join(' ')}'`)
    .join('\n')
  return `# PowerShell completion of headgate; see: headgate completion --help
Register-ArgumentCompleter -Native -CommandName headgate -ScriptBlock {
  param($current, $line, $cursor)
  $levels = @{
${table}
  }
  $choices = @{
${choices}
  }
  $at = ''
  $before = ''
  foreach ($element in $line.CommandElements | Select-Object -Skip 1) {
    $word = $element.ToString()
    if ($element.Extent.EndOffset -ge $cursor) { break }
    $next = "$at $word".Trim()
    if ($levels.ContainsKey($next)) { $at = $next }
    $before = $word
  }
  $found = if ($choices.ContainsKey("$at|$before")) { $choices["$at|$before"] } else { $levels[$at] }
  $found -split ' ' | Where-Object { $_ -like "$current*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`
}

function quoteAll(paths: readonly string[]): readonly string[] {
  return paths.map((path) => `'${path}'`)
}

function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Adds `headgate completion`. It is registered last, so that it knows all commands. */
export function registerCompletionCommand(program: Command, io: Pick<CommandIo, 'write'>): void {
  program
    .command('completion')
    .description('print the script by which a shell completes the words of headgate')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .action((shell: Shell) => io.write(writeCompletion(shell, listCompletions(program))))
}
