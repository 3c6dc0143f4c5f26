import type { Command } from 'commander'
import type { JsonObject } from '../../kit/json/json.ts'
import type { CommandContext } from '../command-context.ts'
import { addToList } from '../options/option-values.ts'
import { addPageOptions, type PageOptions, writeMore } from '../options/page-options.ts'
import { type JsonChoice, writeJson } from '../output/write-json.ts'
import { writeTable } from '../output/write-table.ts'
import { type ObjectOptions, readOrder } from '../remote/read-order.ts'
import { withServer } from '../remote/with-server.ts'
import { writeQuery } from '../remote/write-query.ts'
import type { ObjectCommands } from './object-kinds.ts'

interface ListOptions extends JsonChoice, PageOptions {
  readonly search?: string
  readonly owner?: string
}

/** Adds the commands that list, show, add, change and delete objects of one kind. */
export function registerKind(program: Command, context: CommandContext, kind: ObjectCommands): Command {
  const { word, path } = kind
  const commands = program.command(path).description(`list and change the ${word}s of the running server`)
  const list = commands
    .command('list')
    .description(`list the ${word}s of the configuration, a page at a time`)
    .option('--search <text>', 'a part of the name')
    .option('--owner <owner>', 'file or api')
  addPageOptions(list, kind.sorts)
    .option('--json', 'print JSON')
    .action(({ json, search, ...options }: ListOptions) =>
      withServer(context, async (call) => {
        const query = writeQuery({ q: search, ...options })
        const found = await call({ method: 'GET', path: `/${path}${query}` }, kind.list)
        if (json) return context.io.write(writeJson(found))
        context.io.write(writeTable(kind.columns, found.data))
        writeMore(found.next_after, context.io)
      }),
    )
  registerShow(commands, context, kind)
  registerWrites(commands, context, kind)
  return commands
}

function registerShow(
  commands: Command,
  context: CommandContext,
  { path, one, showDescription }: ObjectCommands,
): void {
  commands
    .command('show')
    .description(showDescription)
    .argument('<name>')
    .option('--json', 'print JSON')
    .action((object: string) =>
      withServer(context, async (call) =>
        context.io.write(
          writeJson(await call({ method: 'GET', path: `/${path}/${encodeURIComponent(object)}` }, one)),
        ),
      ),
    )
}

type WrittenKind = Pick<ObjectCommands, 'word' | 'path' | 'one' | 'settable' | 'addOptions'>

/** Adds the commands that add, change and delete objects of one kind. */
export function registerWrites(commands: Command, context: CommandContext, kind: WrittenKind): void {
  registerWrite(commands, context, { ...kind, name: 'add' })
  registerWrite(commands, context, { ...kind, name: 'edit' })
  registerRemove(commands, context, kind)
}

function registerRemove(commands: Command, context: CommandContext, { word, path, one }: WrittenKind): void {
  commands
    .command('remove')
    .description(`delete a ${word}`)
    .argument('<name>')
    .option('--json', 'print JSON')
    .action((object: string, { json }: JsonChoice) =>
      withServer(context, async (call) => {
        const view = await call({ method: 'DELETE', path: `/${path}/${encodeURIComponent(object)}` }, one)
        context.io.write(json ? writeJson(view) : `The ${word} "${object}" is removed.\n`)
      }),
    )
}

function registerWrite(
  commands: Command,
  context: CommandContext,
  { word, path, one, addOptions, settable, name }: WrittenKind & { readonly name: 'add' | 'edit' },
): void {
  const command = commands
    .command(name)
    .description(name === 'add' ? `add a ${word}` : `change some fields of a ${word}`)
    .argument('<name>')
  addOptions(command)
    .option('--set <field=value>', `any field, such as ${settable}; repeat for more`, addToList)
    .option('--from <file>', 'read fields from a YAML or JSON file; - is standard input')
    .option('--json', 'print JSON')
    .action((object: string, options: ObjectOptions & { readonly json?: true }) =>
      withServer(context, async (call) => {
        const order: JsonObject = readOrder(options)
        const view =
          name === 'add'
            ? await call({ method: 'POST', path: `/${path}`, body: { ...order, name: object } }, one)
            : await call(
                { method: 'PATCH', path: `/${path}/${encodeURIComponent(object)}`, body: order },
                one,
              )
        const done = name === 'add' ? 'added' : 'changed'
        context.io.write(options.json ? writeJson(view) : `The ${word} "${view.name}" is ${done}.\n`)
      }),
    )
}
