// One control plane for several test processes, one after the other: its owner lends it, a testbed in another process
// borrows it. The variable names a file with what a borrower has to know. The owner has the authority's key and makes
// users; a borrower asks for them over a socket beside that file. clean-slate.ts restores the control plane afterwards.
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { TestbedError } from '../errors.ts';
import { createProcessGroup } from '../processes/processes.ts';
import { type ApiCredentials, connect } from './access.ts';
import type { ControlPlane } from './control-plane.ts';
import type { User } from './users.ts';

/** Name of the environment variable with the file of a control plane that this process may borrow, once. */
export const LENT_VARIABLE = 'MAREKVS_TESTBED_CONTROL_PLANE';

interface Lent {
  readonly socket: string;
  readonly dir: string;
  readonly adminKubeconfig: string;
  readonly adminCredentials: ApiCredentials;
  readonly kubectlPath: string;
  readonly auditLogPath: string;
  readonly hasControllerManager: boolean;
}

interface UserWanted {
  readonly name: string;
  readonly groups: readonly string[];
}

type UserMade = User & { readonly credentials: ApiCredentials };

/** @returns the file for the variable, and a function that ends the loan */
export async function lendControlPlane(
  controlPlane: ControlPlane,
): Promise<{ readonly file: string; close(): Promise<void> }> {
  const { dir, adminKubeconfig, adminCredentials, kubectlPath, auditLogPath, hasControllerManager } = controlPlane;
  const socket = join(dir, 'users.sock');
  const server = createServer((asked, answer) => {
    (json(asked) as Promise<UserWanted>)
      .then(({ name, groups }) => controlPlane.makeUser(name, groups))
      .then(
        (made) => answer.end(JSON.stringify(made)),
        (err: unknown) => answer.writeHead(500).end(JSON.stringify(String(err))),
      );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(socket, resolve));
  const lent: Lent = {
    socket,
    dir,
    adminKubeconfig,
    adminCredentials,
    kubectlPath,
    auditLogPath,
    hasControllerManager,
  };
  const file = join(dir, 'lent.json');
  await writeFile(file, JSON.stringify(lent), { mode: 0o600 });
  return {
    file,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The file of the control plane that was lent to this process. Only the first call gets it, and child processes do not
 *  inherit it: a second user must not find what the first has left there. */
export function takeLent(): string | undefined {
  const file = process.env[LENT_VARIABLE];
  delete process.env[LENT_VARIABLE];
  return file;
}

/** @param dir an empty folder that is ours, for logs and whatever runs beside the control plane */
export async function borrowControlPlane(file: string, dir: string): Promise<ControlPlane> {
  const lent = JSON.parse(await readFile(file, 'utf8')) as Lent;
  await mkdir(join(dir, 'logs'), { recursive: true, mode: 0o700 });
  await symlink(join(lent.dir, 'certs'), join(dir, 'certs'));
  const admin = connect(lent.adminCredentials, 'testbed');
  const processes = createProcessGroup();
  const makeUser = (name: string, groups: readonly string[]): Promise<UserMade> => ask(lent.socket, { name, groups });
  return {
    server: lent.adminCredentials.server,
    dir,
    adminKubeconfig: lent.adminKubeconfig,
    admin,
    adminCredentials: lent.adminCredentials,
    kubectlPath: lent.kubectlPath,
    auditLogPath: lent.auditLogPath,
    hasControllerManager: lent.hasControllerManager,
    controllerManagerMissing: lent.hasControllerManager ? undefined : 'the lent control plane has none',
    processes,
    makeUser,
    addUser: async (name, groups) => (await makeUser(name, groups)).kubeconfigPath,
    addClient: async (name, groups) => (await makeUser(name, groups)).credentials,
    signalApiServer: refuse,
    restartApiServer: refuse,
    async stop() {
      await admin.close();
      await processes.stopAll(100);
    },
  };
}

function refuse(): never {
  throw new TestbedError(
    'this API server serves other journeys afterwards: say "// Own API server: <why>" in the opening comment of the file',
  );
}

function ask(socketPath: string, wanted: UserWanted): Promise<UserMade> {
  return new Promise((resolve, reject) => {
    const asking = request({ socketPath, method: 'POST', path: '/' }, (answer) => {
      json(answer).then((made) => {
        if (answer.statusCode === 200) resolve(made as UserMade);
        else reject(new TestbedError(`add user ${wanted.name}: ${made}`));
      }, reject);
    });
    asking.once('error', reject);
    asking.end(JSON.stringify(wanted));
  });
}
