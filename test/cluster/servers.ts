/**
 * A real HDFS and YARN on this machine: a name node, a data node, a resource manager, two node managers and a history server,
 * a JVM each, all on the loopback of a network of their own (network.ts).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeCommand } from '../hadoop/hadoopHere.js';

type ServerName =
  | 'namenode'
  | 'datanode'
  | 'resourcemanager'
  | 'nodemanager1'
  | 'nodemanager2'
  | 'historyserver';

const CLASSES: Readonly<Record<ServerName, string>> = {
  namenode: 'org.apache.hadoop.hdfs.server.namenode.NameNode',
  datanode: 'org.apache.hadoop.hdfs.server.datanode.DataNode',
  resourcemanager: 'org.apache.hadoop.yarn.server.resourcemanager.ResourceManager',
  nodemanager1: 'org.apache.hadoop.yarn.server.nodemanager.NodeManager',
  nodemanager2: 'org.apache.hadoop.yarn.server.nodemanager.NodeManager',
  // Clients ask it of jobs whose master has ended before they looked.
  historyserver: 'org.apache.hadoop.mapreduce.v2.hs.JobHistoryServer',
};
const HDFS = 'hdfs://127.0.0.1:19000';
const NAME_WEB = '127.0.0.1:19870';
const YARN_WEB = '127.0.0.1:18088';
const HISTORY_WEB = '127.0.0.1:19888';
/** A server that is not there after so long will not come. */
const PATIENCE = 120_000;

export class Servers {
  readonly hdfs = HDFS;
  /** The command for users of the cluster, and the folder of its settings. */
  readonly hadoop: string;
  readonly conf: string;
  private readonly folder: string;
  private readonly jars: string;
  private readonly running = new Map<ServerName, ChildProcess>();

  constructor(folder: string, jars: string) {
    this.folder = folder;
    this.jars = jars;
    this.conf = join(folder, 'conf');
    for (const name of ['conf', 'log', 'bin', 'share/hadoop/tools/lib'])
      mkdirSync(join(folder, name), { recursive: true });
    // The jar of HDFS comes without its pages; the servers want their folders alone.
    for (const name of ['hdfs', 'datanode'])
      mkdirSync(join(folder, 'conf/webapps', name), { recursive: true });
    this.configure();
    const streaming = readdirSync(jars).find((name) => name.startsWith('hadoop-streaming-'))!;
    symlinkSync(join(jars, streaming), join(folder, 'share/hadoop/tools/lib', streaming));
    this.hadoop = join(folder, 'bin/hadoop');
    writeCommand(this.hadoop, this.classPath, 256);
  }

  private get classPath(): string {
    return `${this.conf}:${this.jars}/*`;
  }

  async start(): Promise<void> {
    const format = ['-cp', this.classPath, CLASSES.namenode, '-format', '-force', '-nonInteractive'];
    const { status, stderr } = spawnSync('java', format, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the name node was not made: ${stderr.slice(-2000)}`);
    for (const name of Object.keys(CLASSES) as ServerName[]) this.launch(name);
    await this.ready(
      `http://${NAME_WEB}/jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState`,
      /"NumLiveDataNodes" : 1/,
    );
    await this.ready(`http://${HISTORY_WEB}/ws/v1/history/info`, /"startedOn"/);
    await this.nodesReady();
  }

  private launch(name: ServerName): void {
    const log = openSync(join(this.folder, 'log', name), 'a');
    const words = [
      ...['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
      // Guice makes classes at run time.
      '--add-opens=java.base/java.lang=ALL-UNNAMED',
      `-Dtest.node=${name}`,
      `-Dhadoop.log.dir=${join(this.folder, 'log')}`,
      ...['-cp', this.classPath, CLASSES[name]],
    ];
    const child = spawn('java', words, { stdio: ['ignore', log, log] });
    this.running.set(name, child);
  }

  /** The node manager is gone at once, its containers stay. */
  lose(node: 1 | 2): void {
    this.running.get(`nodemanager${node}`)!.kill('SIGKILL');
  }

  stop(): void {
    for (const child of this.running.values()) child.kill('SIGKILL');
  }

  /** Starts node managers that were lost, and waits for both. */
  async heal(): Promise<void> {
    for (const node of [1, 2] as const) {
      const name = `nodemanager${node}` as const;
      const { exitCode, signalCode } = this.running.get(name)!;
      if (exitCode !== null || signalCode !== null) this.launch(name);
    }
    await this.nodesReady();
  }

  private async nodesReady(): Promise<void> {
    await this.ready(`http://${YARN_WEB}/ws/v1/cluster/metrics`, /"activeNodes":2/);
  }

  private async ready(url: string, expected: RegExp): Promise<void> {
    for (const until = Date.now() + PATIENCE; Date.now() < until; await pause(250)) {
      const text = await fetch(url).then(
        (answer) => answer.text(),
        () => '',
      );
      if (expected.test(text)) return;
    }
    throw new Error(`${url} does not answer ${expected}; look at ${join(this.folder, 'log')}`);
  }

  private configure(): void {
    const { folder, jars } = this;
    const at = (name: string): string => join(folder, name);
    const classPath = `${at('conf')},${jars}/*`;
    for (const [name, properties] of Object.entries(sites(at, classPath))) {
      const rows = Object.entries(properties).map(
        ([key, value]) => `<property><name>${key}</name><value>${value}</value></property>`,
      );
      writeFileSync(at(`conf/${name}-site.xml`), `<configuration>\n${rows.join('\n')}\n</configuration>\n`);
    }
    writeFileSync(at('conf/log4j.properties'), LOGGING);
  }
}

function sites(
  at: (name: string) => string,
  classPath: string,
): Readonly<Record<string, Record<string, string>>> {
  return {
    core: { 'fs.defaultFS': HDFS, 'hadoop.tmp.dir': at('tmp'), 'ipc.client.connect.max.retries': '3' },
    hdfs: {
      'dfs.replication': '1',
      'dfs.namenode.name.dir': `file://${at('name')}`,
      'dfs.datanode.data.dir': `file://${at('data')}`,
      'dfs.namenode.http-address': NAME_WEB,
      'dfs.datanode.address': '127.0.0.1:0',
      'dfs.datanode.http.address': '127.0.0.1:0',
      'dfs.datanode.ipc.address': '127.0.0.1:0',
      'dfs.namenode.safemode.extension': '0',
    },
    mapred: {
      'mapreduce.framework.name': 'yarn',
      'mapreduce.application.classpath': classPath,
      'mapreduce.shuffle.port': '0',
      'mapreduce.jobhistory.address': '127.0.0.1:10020',
      'mapreduce.jobhistory.admin.address': '127.0.0.1:10033',
      'mapreduce.jobhistory.webapp.address': HISTORY_WEB,
      'yarn.app.mapreduce.am.resource.mb': '768',
      'yarn.app.mapreduce.am.command-opts': '-Xmx400m -XX:+UseSerialGC -XX:TieredStopAtLevel=1',
      // A container holds a JVM and a process of Node.
      'mapreduce.map.memory.mb': '768',
      'mapreduce.map.java.opts': '-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1',
      'mapreduce.reduce.memory.mb': '768',
      'mapreduce.reduce.java.opts': '-Xmx256m -XX:+UseSerialGC -XX:TieredStopAtLevel=1',
      'mapreduce.task.io.sort.mb': '50',
      // Small jobs wait for heartbeats more than for their tasks.
      'yarn.app.mapreduce.am.scheduler.heartbeat.interval-ms': '200',
      'mapreduce.client.progressmonitor.pollinterval': '200',
      // Once a node is lost, waiting Reduce tasks hold the memory that a Map needs to run again.
      'mapreduce.job.reducer.unconditional-preempt.delay.sec': '10',
    },
    yarn: {
      // The usual one needs a file of its own.
      'yarn.resourcemanager.scheduler.class':
        'org.apache.hadoop.yarn.server.resourcemanager.scheduler.fifo.FifoScheduler',
      'yarn.resourcemanager.hostname': '127.0.0.1',
      'yarn.resourcemanager.address': '127.0.0.1:18032',
      'yarn.resourcemanager.scheduler.address': '127.0.0.1:18030',
      'yarn.resourcemanager.resource-tracker.address': '127.0.0.1:18031',
      'yarn.resourcemanager.admin.address': '127.0.0.1:18033',
      'yarn.resourcemanager.webapp.address': YARN_WEB,
      'yarn.scheduler.minimum-allocation-mb': '256',
      'yarn.nodemanager.hostname': '127.0.0.1',
      'yarn.nodemanager.address': '127.0.0.1:0',
      'yarn.nodemanager.localizer.address': '127.0.0.1:0',
      'yarn.nodemanager.webapp.address': '127.0.0.1:0',
      // Both node managers read this file.
      'yarn.nodemanager.local-dirs': `${at('nodes')}/\${test.node}/local`,
      'yarn.nodemanager.log-dirs': `${at('nodes')}/\${test.node}/log`,
      'yarn.nodemanager.aux-services': 'mapreduce_shuffle',
      'yarn.nodemanager.resource.memory-mb': '3840',
      'yarn.nodemanager.vmem-check-enabled': 'false',
      'yarn.nodemanager.pmem-check-enabled': 'true',
      'yarn.nodemanager.container-monitor.interval-ms': '500',
      'yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage': '99',
      'yarn.application.classpath': classPath,
      'yarn.resourcemanager.nodemanagers.heartbeat-interval-ms': '200',
      // A lost node is noticed in seconds.
      'yarn.nm.liveness-monitor.expiry-interval-ms': '10000',
    },
  };
}

/** Without it the client prints neither progress nor counters. */
const LOGGING = `log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{HH:mm:ss} %p %c{2}: %m%n
`;
