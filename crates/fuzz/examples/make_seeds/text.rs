//! Seeds of text formats.

use padwise_fuzz::parts;

use crate::{Made, Seeds, records};

pub(crate) fn make(seeds: &Seeds) -> Made {
    for name in [
        "quick",
        "synthetic",
        "librispeech",
        "librispeech-frames",
        "ge-table1",
        "anderson-smart",
    ] {
        let config = seeds.file(&format!("configs/{name}.toml"))?;
        seeds.add("config", &format!("{name}.toml"), config)?;
    }
    strategies(seeds)?;
    lengths(seeds)?;
    labels(seeds)?;
    states(seeds)?;
    layouts(seeds)?;
    records::results(seeds)
}

fn strategies(seeds: &Seeds) -> Made {
    for (number, line) in [
        "random",
        "sorted,batch=8,shuffle-batches",
        "alternated:bins=4,short-first",
        "semi-sorted:lrf=0.1,frames=2000,max-items=64",
        "bucketed:width=50,pad=bucket,drop-last",
        "bucketed:count=10,dynamic=4,long-first",
        "bucketed:optimal=6,pad=multiple:8",
        "bucketed:mxnet,batch=2",
        "smart,dynamic-overshoot=4",
        "random,chunk=50,step=25,min-chunk=10",
        "bucketed:optimal=4294967295",
        "alternated:bins=4294967295,chunk=1,step=1",
        "semi-sorted:lrf=1e308,frames=18446744073709551615",
        "sorted,shuffle-later",
    ]
    .iter()
    .enumerate()
    {
        seeds.add("strategy", &format!("{number:02}"), line)?;
    }
    Ok(())
}

fn lengths(seeds: &Seeds) -> Made {
    let table = "id,frames,split\na,100,train\nb,20,train\n\"c\",\"300\",test\n";
    seeds.add("lengths", "table.csv", table)?;
    seeds.add("lengths", "list.txt", "100\n20\r\n300\r7")?;
    let options = parts::join(&["frames\nsplit=train\n", table]);
    seeds.add("lengths", "options", options)?;
    let seconds = parts::join(&["seconds\n\n10\n", "\u{feff}id,seconds\na,1.25\nb,0.5\n"]);
    seeds.add("lengths", "seconds", seconds)?;
    seeds.add(
        "lengths",
        "manifest.csv",
        "path,duration\na.wav,1.25\nb.wav,0.01\n",
    )?;
    seeds.add(
        "lengths",
        "manifest.jsonl",
        "{\"audio_filepath\":\"a.wav\",\"duration\":1.25}\n{\"duration\":\"0.5\"}\n",
    )?;
    let ids = parts::join(&[
        "frames\n\n\nname\n",
        "name,path,frames\na,x,3\nb,x,4\nc,,5\n",
    ]);
    seeds.add("lengths", "ids", ids)?;
    let segments = "path,frames\na.wav,3\na.wav,4\n";
    seeds.add("lengths", "segments.csv", segments)?;
    let twice = "id,frames\na,3\na,4\n";
    seeds.add("lengths", "bad-twice.csv", twice)?;
    seeds.add("lengths", "bad-infinite", "10\ninf\n")?;
    seeds.add("lengths", "bad-largest", "2147483647\n2147483647\n")
}

fn labels(seeds: &Seeds) -> Made {
    let ctm = ";; comment\nutt-1 1 0.00 0.10 sil\nutt-1 1 0.10 0.05 a 0.9\nutt-2 1 0 0.2 b\n";
    seeds.add("ctm", "valid.ctm", ctm)?;
    seeds.add(
        "ctm",
        "bad-infinite.ctm",
        "utt-1 1 0.0 inf a\nutt-1 1 1e400 0.1 b\n",
    )?;
    seeds.add("ctm", "bad-long.ctm", "utt-1 1 3599999999 0.5 a\n")?;
    for name in ["long", "short", "utf16"] {
        let grid = seeds.file(&format!(
            "crates/features/tests/golden/labels/{name}.TextGrid"
        ))?;
        seeds.add("textgrid", &format!("{name}.TextGrid"), grid)?;
    }
    let grid =
        "\"ooTextFile\"\n\"TextGrid\"\n0\n0.3\n<exists>\n1\n\"IntervalTier\" \"phones\" 0 0.3";
    let valid = format!("{grid} 2\n0 0.1 \"a\"\n0.1 0.3 \"b\"\n");
    seeds.add("textgrid", "phones.TextGrid", valid)?;
    let claim = format!("{grid} 999999999999999\n0 0.1 \"a\"\n");
    seeds.add("textgrid", "bad-claim.TextGrid", claim)
}

fn states(seeds: &Seeds) -> Made {
    let nine = "{\"kind\":\"thirds\",\"phones\":[\"SIL\",\"A\",\"B\"]}";
    seeds.add("states", "thirds.json", nine)?;
    seeds.add("states", "phones.json", nine.replace("thirds", "phones"))?;
    let tied = |tree: &str| {
        format!(
            "{{\"kind\":{{\"tied\":20}},\"phones\":[\"SIL\",\"A\"],\"tying\":{{\"gain\":0.8,\"questions\":[[0],[0,1]],\
             \"trees\":[[\"leaf\"],[\"leaf\"],[\"leaf\"],[\"leaf\"],[\"leaf\"],{tree}]}}}}"
        )
    };
    let tree = "[{\"left\":0},{\"right\":1},\"leaf\",\"leaf\",\"leaf\"]";
    seeds.add("states", "tied.json", tied(tree))?;
    seeds.add("states", "bad-branch.json", tied("[{\"left\":0},\"leaf\"]"))?;
    let question = "[{\"left\":7},\"leaf\",\"leaf\"]";
    seeds.add("states", "bad-question.json", tied(question))
}

fn layouts(seeds: &Seeds) -> Made {
    let csv = "id,path,labels,text,speaker\na,a.wav,a.npy,\"one, two\",ann\nb,b.flac,,,\n";
    seeds.add("manifest", "valid.csv", csv)?;
    let json =
        "{\"id\":\"a\",\"path\":\"a.wav\",\"text\":\"one\"}\n{\"id\":\"b\",\"path\":\"b.flac\"}\n";
    seeds.add("manifest", "valid.jsonl", json)?;
    let lexicon = ";;; comment\nONE W AH N\nONE(2) W AA N\nit's IH T S\n";
    let texts = "one it’s ONE\n\nDon't: e\u{301}tude\n";
    seeds.add("transcripts", "valid", parts::join(&[lexicon, texts]))?;
    seeds.add("transcripts", "bad-word-alone", "ONE\n")?;
    let nemo = "{\"audio_filepath\":\"a.wav\",\"duration\":0.5,\"offset\":0.25,\"text\":\"one\",\"speaker\":7}\n\
                {\"audio_filepath\":\"b.flac\",\"duration\":1,\"lang\":\"en\"}\n";
    seeds.add("manifest", "nemo.jsonl", nemo)?;
    let lhotse = "{\"id\":\"c\",\"start\":0.5,\"duration\":0.5,\"channel\":0,\"type\":\"MonoCut\",\
                  \"supervisions\":[{\"text\":\"one\",\"speaker\":\"ann\"},{\"text\":\"two\"}],\
                  \"recording\":{\"sources\":[{\"type\":\"file\",\"channels\":[0,1],\"source\":\"a.wav\"}]}}\n";
    seeds.add("manifest", "lhotse.jsonl", lhotse)?;
    let segments = "wav,start,seconds\na.wav,0,0.5\na.wav,0.5,0.5\n";
    seeds.add("manifest", "segments.csv", segments)?;
    let features = "id,path,split,frames\na,a.npy,train,3\nb,a.npy,test,3\n";
    seeds.add("manifest", "features.csv", features)?;
    seeds.add("manifest", "bad-nested.jsonl", "[".repeat(200))?;
    let texts = parts::join(&["\u{feff}good\r\n\tmorning\n", "", "one  two"]);
    seeds.add("folder", "texts", texts)?;
    seeds.add("folder", "one", "one")?;
    let chapter = "1-2-0000 ONE TWO\n1-2-0001 THREE\n1-2-0002 FOUR\n";
    seeds.add("librispeech", "chapter", chapter)?;
    seeds.add("librispeech", "incomplete", "1-2-0000 ONE\n1-2-0000\n")?;
    let metadata = "LJ001-0001|In 1455, \"so\"|In fourteen fifty-five, \"so\"\nLJ001-0002|x|\n";
    seeds.add("ljspeech", "metadata", metadata)?;
    seeds.add("ljspeech", "short", "LJ001-0001\n")
}
