/** One way in which a start or a command fails, described for operators. */
export interface OperatorErrorRow {
  /** The event in general. The thrown error adds its place. */
  readonly happened: string
  /** The advice, where the failing code has no better advice. */
  readonly advice: string
}

const findFolder =
  'start one with "headgate serve", or name its folder with --data or its configuration file with --config'

/** The errors of the data folder and its files. */
const folderErrors = {
  data_folder_missing: {
    happened:
      'A command needs a data folder, and there is none at the path: no server was ever started on it.',
    advice: findFolder,
  },
  data_folder_unusable: {
    happened: 'The data folder cannot be made, read or written to.',
    advice: 'give this user the right to write there, or name another folder with --data',
  },
  data_folder_in_use: {
    happened: 'Another Headgate process uses the data folder, and a folder belongs to one process at a time.',
    advice: 'stop that process, or choose another folder with --data',
  },
  processes_unusable: {
    happened: 'A process of several ended before it could serve.',
    advice: 'look at the lines before this one, which say why',
  },
  data_folder_not_empty: {
    happened: 'A backup is to be restored over files that are there.',
    advice: 'with --replace these files are moved into a folder beside them first',
  },
  database_damaged: {
    happened: 'A database of the data folder is damaged.',
    advice: 'restore it from a copy',
  },
  database_unusable: {
    happened: 'A database of the data folder cannot be opened.',
    advice: 'look whether this user may read and write it and whether the disk has room',
  },
  database_newer: {
    happened: 'A database was written by a newer Headgate, whose tables this one does not know.',
    advice: 'start that Headgate, or restore a copy from before',
  },
  database_away: {
    happened: 'The database that the nodes share cannot be reached, or refuses this user.',
    advice: 'look at database_url, and whether the database runs and takes connections from here',
  },
  foreign_tables: {
    happened: 'The schema for Headgate in the database has tables of another program.',
    advice: 'give Headgate a schema of its own, by database.schema, for "headgate migrate" by --schema',
  },
  database_encoding: {
    happened: 'The database that the nodes share cannot hold every character that callers may send.',
    advice: 'make another database, with "create database … encoding \'UTF8\' template template0"',
  },
  database_not_empty: {
    happened: 'A data folder is to be copied into a database that holds an installation already.',
    advice: 'name an empty database with --to, or another schema with --schema',
  },
  data_folder_outdated: {
    happened: 'A data folder is to be copied whose tables are older than those of this Headgate.',
    advice: 'start this Headgate on the data folder once, which brings its tables up to date',
  },
  migration_unfinished: {
    happened: 'A data folder is being copied into the database, and not all of it is there and verified.',
    advice: 'stop the gateway of the data folder, and run "headgate migrate" with --finish',
  },
  migration_differs: {
    happened: 'The copy of a data folder is not the same as the data folder. No node starts on it.',
    advice: 'drop the schema in the database and copy again; the data folder is unchanged and can be served',
  },
  driver_missing: {
    happened: 'The package by which PostgreSQL is reached is not installed.',
    advice: 'install it beside Headgate with "npm install pg"',
  },
  secret_mismatch: {
    happened:
      'A secret is not the one of the other nodes of the database, or not the one of the stored keys.',
    advice: 'give every node the same secrets; restore the file "pepper" of a data folder from a copy',
  },
  not_with_postgres: {
    happened: 'A command works on the data folder alone, and the installation uses PostgreSQL.',
    advice: 'see docs/scaling.md for what to do instead',
  },
  secret_missing: {
    happened: 'The pepper of the data folder is gone while there are keys that need it.',
    advice: 'restore it from a copy, as without it no stored key works',
  },
  secret_damaged: {
    happened: 'A secret file of the data folder does not hold what it must.',
    advice: 'restore it from a copy',
  },
  secret_exposed: {
    happened: 'Other users can read a secret file of the data folder.',
    advice: 'take their right to read it away',
  },
  file_exists: {
    happened: 'A command would write over a file.',
    advice: 'name another file, or move it away',
  },
  file_unreadable: {
    happened: 'A file that a command was given cannot be read.',
    advice: 'name a file that is there and that this user may read',
  },
  file_unwritable: {
    happened: 'A file cannot be written.',
    advice: 'look whether this user may write there and whether the disk has room',
  },
} as const satisfies Record<string, OperatorErrorRow>

/** The errors that end a start, a backup or the use of a price file. */
const workErrors = {
  route_table_invalid: {
    happened: 'A path that Headgate serves does not say who may call it, or says it twice.',
    advice: 'this is a fault of the program: install another version, and report it with this line',
  },
  address_unavailable: {
    happened: 'An address that Headgate is to listen on cannot be opened.',
    advice: 'choose another address',
  },
  ledger_unreliable: {
    happened: 'The disk failed while the ledger was written, so that the process ends.',
    advice: 'mend the disk; the next start reads what is durable and goes on from there',
  },
  backup_failed: {
    happened: 'A backup could not be made. Nothing is left of it.',
    advice: 'mend that, then make it again',
  },
  backup_damaged: {
    happened: 'A file is no backup, or it is cut off or damaged.',
    advice: 'use another backup',
  },
  restore_failed: {
    happened: 'A backup could not be restored. Nothing of the data folder was changed.',
    advice: 'mend that, then restore it again',
  },
  restore_unfinished: {
    happened: 'A backup could not be restored, and some files of the data folder could not be moved back.',
    advice: 'mend that, and move the named files back into the data folder before you start on it',
  },
  price_file_invalid: {
    happened: 'A file of prices cannot be used.',
    advice: "give LiteLLM's price file, or a price table of Headgate",
  },
  price_file_outdated: {
    happened: 'A file of prices is older than the price table in use.',
    advice: 'give a newer one, or its date with --date',
  },
} as const satisfies Record<string, OperatorErrorRow>

/** The errors of a command, or of the server that carries out the command. */
const commandErrors = {
  option_invalid: {
    happened: 'An option or argument of a command has a value that it cannot have.',
    advice: 'see the help of the command with --help',
  },
  variable_missing: {
    happened: 'A command names a variable of the environment that is not set.',
    advice: 'set it, or name another',
  },
  input_ended: {
    happened: 'A command asks for something, and its standard input ended.',
    advice: 'give a name and a password, a line each',
  },
  model_not_served: {
    happened: 'A command names a model that no channel serves.',
    advice: '"headgate prices list" shows what is served',
  },
  link_missing: {
    happened: 'The link to the first owner is not in the data folder.',
    advice: 'give the secret of a link; "headgate users link --owner" makes one to an owner',
  },
  server_not_running: {
    happened: 'A command needs a running server, and none runs on the data folder.',
    advice: findFolder,
  },
  server_not_supervised: {
    happened: 'The server has no supervisor, which alone can replace its processes while it serves.',
    advice:
      'end it and start it again; from then on "headgate serve --workers 1" or more lets it be restarted so',
  },
  restart_failed: {
    happened: 'New processes could not be started, and the previous ones go on.',
    advice: 'mend what it names, and ask again',
  },
  server_unreachable: {
    happened: 'The server that runs on the data folder does not answer.',
    advice: 'look into its log, and whether its address can be reached from here',
  },
  server_unproven: {
    happened: 'What listens at the address of the server is not the server of the data folder.',
    advice: 'stop that program, or start the server again',
  },
  server_answer_unreadable: {
    happened: 'The server gave an answer that this command does not understand.',
    advice: 'use a command of the same version as the server',
  },
  admin_api_off: {
    happened: 'The server runs, but serves no admin API, which commands use.',
    advice:
      'give it an address of its own in the configuration, such as admin: { listen: 127.0.0.1:8081 }, and restart the server',
  },
  admin_token_missing: {
    happened: 'A server runs on the data folder, but its admin token is not there.',
    advice: 'set HEADGATE_ADMIN_TOKEN',
  },
  admin_token_refused: {
    happened: 'The server refuses the admin token.',
    advice: 'set HEADGATE_ADMIN_TOKEN to its own',
  },
} as const satisfies Record<string, OperatorErrorRow>

/**
 * Every failure of a start or a command, except those of the configuration. `docs/errors.md` is written from this
 * table.
 */
export const operatorErrors = {
  ...folderErrors,
  ...workErrors,
  ...commandErrors,
} as const satisfies Record<string, OperatorErrorRow>

export type OperatorErrorCode = keyof typeof operatorErrors
